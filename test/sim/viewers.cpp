#include "viewers.h"

#include <algorithm>

#include "dialect/contracts.h"

namespace braidlog::sim {

namespace {

constexpr std::size_t kWatchesMax = 14;

std::vector<const Dialect*> all_contracts(const Checker& checker) {
  std::vector<const Dialect*> found;
  for (const auto name : kContracts) found.push_back(&checker.contract(name));
  found.push_back(&checker.contract(kAllContracts));
  return found;
}

HttpRequest request_to(Method method, std::string target) {
  HttpRequest request;
  request.method = method;
  request.target = std::move(target);
  split_target(request);
  return request;
}

}  // namespace

Viewers::Viewers(World& world, Checker& checker)
    : world_(world), checker_(checker), contracts_(all_contracts(checker)) {}

void Viewers::act(SimServer& server) {
  auto& random = world_.random;
  const auto is_spent = [](const Watch& watch) { return !watch.is_watching() && (watch.is_done() || !watch.run_id); };
  if (watches_.size() >= kWatchesMax) std::erase_if(watches_, is_spent);
  if (watches_.empty() || (watches_.size() < kWatchesMax && random.percent(25))) return watch_any(server);
  Watch& watch = *std::next(watches_.begin(), static_cast<std::ptrdiff_t>(random.below(watches_.size())));
  if (!watch.is_watching()) return come_back(watch, server);
  const auto dice = random.below(100);
  if (dice < 30) {
    world_.trace.say("viewer", "v", watch.number, " leaves");
    watch.exchange->leave();
  } else if (dice < 55) {
    world_.trace.say("viewer", "v", watch.number, " stops reading");
    watch.exchange->stop_reading();
  } else if (dice < 80) {
    watch.exchange->read(static_cast<std::size_t>(random.between(1, 600)));
  } else {
    watch.exchange->read(SimExchange::kAll);
  }
}

Watch& Viewers::add(const Dialect& contract) {
  watches_.push_back({.number = ++count_, .contract = &contract});
  return watches_.back();
}

void Viewers::watch_any(SimServer& server) {
  auto& random = world_.random;
  const auto& runs = checker_.histories();
  if (runs.empty()) return;
  Watch& watch = add(*random.pick(contracts_));
  watch.run_id = std::next(runs.begin(), static_cast<std::ptrdiff_t>(random.below(runs.size())))->first;
  const auto dice = random.below(10);
  connect(watch, server, dice == 0 ? From::kBogus : dice == 1 ? From::kAnyEvent : From::kStart);
}

// A browser that lost a link opens it again; the others have the last id that they read, if they read any.
void Viewers::come_back(Watch& watch, SimServer& server) {
  auto& random = world_.random;
  const bool by_link = watch.opening && watch.opening->request.method == Method::kGet;
  if (by_link && random.percent(watch.run_id ? 20 : 80)) return open(watch, server);
  if (!watch.run_id) return;
  connect(watch, server, random.percent(80) ? From::kLastSeen : From::kBogus);
}

// ---- connections ----

void Viewers::begin(SimServer& server, Watch::Opening opening) {
  Watch& watch = add(*opening.contract);
  watch.opening = std::move(opening);
  open(watch, server);
}

void Viewers::open(Watch& watch, SimServer& server) {
  const Watch::Opening& opening = *watch.opening;
  watch.contract = opening.contract;
  world_.trace.say("viewer", "v", watch.number, " says in ", watch.contract->name(), ": ", opening.said.text,
                   opening.said.key.empty() ? "" : " with key ", opening.said.key);
  watch.run_id.reset();
  watch.start = 0;
  watch.may_get_nothing = false;
  attach(watch, server, opening.request);
  if (opening.way) checker_.attendance().asks(opening.said.text, *opening.way, watch.exchange, watch.generation);
}

void Viewers::connect(Watch& watch, SimServer& server, From from) {
  auto& random = world_.random;
  const Dialect& contract = random.percent(75) ? *watch.contract : *random.pick(contracts_);
  Entry entered = entry(watch, contract, from);
  // Nothing is replayed in tasks: whatever id is shown, the stream begins at its beginning.
  if (contract.name() == kTasksContract) entered.offset = 0;
  watch.contract = &contract;
  // The URLs that would begin a run lead back to one for whoever has an id.
  const bool has_url =
      contract.name() == kChatContract || contract.name() == kConversationContract || contract.name() == kStepsContract;
  const bool by_own_url = has_url && !entered.event_id.empty() && random.percent(50);
  watch.start = entered.offset;
  watch.may_get_nothing = by_own_url && entered.kind != Entry::Kind::kTrue;
  world_.trace.say("viewer", "v", watch.number, " watches ", *watch.run_id, " in ", contract.name(),
                   by_own_url ? " by its own URL" : "", entered.event_id.empty() ? "" : " after ", entered.event_id);
  attach(watch, server, request_for(watch, entered, by_own_url));
  if (by_own_url && contract.name() == kChatContract && entered.kind != Entry::Kind::kOfNothing) {
    checker_.attendance().returns(*watch.run_id, watch.exchange, watch.generation);
  }
}

HttpRequest Viewers::request_for(const Watch& watch, const Entry& entry, bool by_own_url) {
  auto& random = world_.random;
  const std::string run = to_prefixed(*watch.run_id);
  const std::string_view contract = watch.contract->name();
  std::string path = "/api/v1/runs/" + run + "/stream";
  Method method = Method::kGet;
  if (by_own_url) {
    const std::string session = to_uuid(run_of(watch).state().request.session_id);
    path = contract == kChatContract    ? "/agent/bold/chat/stream"
           : contract == kStepsContract ? "/sessions/" + session + "/stream"
                                        : "/agent/stream";
    method = contract != kConversationContract && random.percent(50) ? Method::kGet : Method::kPost;
  } else if (contract == kRunsContract && random.percent(50)) {
    path = "/api/v1/sessions/" + to_prefixed(run_of(watch).state().request.session_id) + "/runs/" + run + "/stream";
  } else if (contract != kRunsContract || random.percent(50)) {
    path += "?contract=" + std::string(contract);
  }
  HttpRequest request = request_to(method, path);
  request.headers.push_back({"Authorization", "Bearer ann"});
  if (!entry.event_id.empty()) request.headers.push_back({"Last-Event-ID", entry.event_id});
  return request;
}

void Viewers::attach(Watch& watch, SimServer& server, HttpRequest request) {
  watch.sent = 0;
  watch.has_all = false;
  watch.generation = server.generation();
  watch.troubles = world_.troubles;
  SimExchange::Watcher watcher;
  watcher.sent = [this, &watch](std::string_view bytes) { on_sent(watch, bytes); };
  watcher.finished = [this, &watch] { on_finished(watch); };
  watcher.cut = [this, &watch] { on_cut(watch); };
  watcher.responded = [this, &watch](const HttpResponse& response) { on_responded(watch, response); };
  watch.exchange = server.receive(std::move(request), std::move(watcher));
  if (world_.random.percent(25)) watch.exchange->stop_reading();
}

// ---- where they go on ----

Viewers::Entry Viewers::entry(const Watch& watch, const Dialect& contract, From from) {
  const RunHistory& run = run_of(watch);
  switch (from) {
    case From::kStart: return {};
    case From::kBogus: return bogus(run);
    case From::kAnyEvent: return any_event(run, contract);
    case From::kLastSeen: break;
  }
  const auto [offset, id] = stream_of(watch).last_whole_frame(watch.has());
  if (id.empty()) return {};
  return {id, &contract == watch.contract ? offset : run.stream(contract).offset_after(*parse_event_id(id))};
}

// Of whatever contract: the event may have no frame in this one, or the id a part that means nothing here. But somebody
// was sent what is there by then.
Viewers::Entry Viewers::any_event(const RunHistory& run, const Dialect& contract) {
  auto& random = world_.random;
  const auto newest = shown_.find(run.id());
  if (newest == shown_.end() || newest->second.value == 0) return {};
  EventId id{run.id(), {}, std::nullopt};
  id.sequence.value = static_cast<std::uint64_t>(random.between(1, static_cast<std::int64_t>(newest->second.value)));
  if (random.percent(40)) {
    const char mark = random.pick(contracts_)->part_mark();
    id.part = FramePart{mark == 0 ? 'z' : mark, static_cast<std::uint32_t>(random.below(3))};
  }
  Entry entry;
  append_event_id(entry.event_id, id);
  entry.offset = run.stream(contract).offset_after(id);
  return entry;
}

// Of another run, from the future, or no id at all. On a URL that names a run each counts as none.
Viewers::Entry Viewers::bogus(const RunHistory& run) {
  EventId id{run.id(), {run.state().last.value + 1'000'000}, std::nullopt};
  Entry entry{"evt_nonsense", 0, Entry::Kind::kOfNothing};
  const auto dice = world_.random.below(3);
  if (dice == 0) return entry;
  if (dice == 1) {
    id.run_id.value.bytes[15] ^= 1;
    id.sequence = {1};
  } else {
    entry.kind = Entry::Kind::kFuture;
  }
  entry.event_id.clear();
  append_event_id(entry.event_id, id);
  return entry;
}

}  // namespace braidlog::sim
