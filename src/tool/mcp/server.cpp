#include "tool/mcp/server.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/overloaded.h"
#include "base/utf8.h"
#include "tool/mcp/http_link.h"
#include "tool/mcp/stdio_link.h"
#include "tool/mcp/tool_result.h"

namespace braidlog::tool::mcp {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRestartDelayMin{1'000};
constexpr milliseconds kRestartDelayMax{60'000};
// Who fell after less than this may fall again as soon as it is up.
constexpr milliseconds kSteadyAfter{30'000};
constexpr std::size_t kWordsBytesMax = 2'000;

// What a server says of itself, for people. Shortened last: a piece of a secret would not be found.
std::string presentable(std::string words, const Secrets& secrets) {
  return std::string(utf8_prefix(secrets.removed_from(std::move(words)), kWordsBytesMax));
}

}  // namespace

// ---- the view ----

void ServerView::set_tools(ToolPlans tools) {
  MutexLock lock(mutex_);
  tools_ = std::move(tools);
}

void ServerView::set_trouble(std::string trouble) {
  MutexLock lock(mutex_);
  trouble_ = std::move(trouble);
}

void ServerView::settle() {
  MutexLock lock(mutex_);
  settled_ = true;
  settled_changed_.notify_all();
}

void ServerView::tell_change() {
  const std::lock_guard lock(telling_);
  if (changed_) changed_();
}

void ServerView::silence() {
  const std::lock_guard lock(telling_);
  changed_ = nullptr;
}

ToolPlans ServerView::tools() const {
  MutexLock lock(mutex_);
  return tools_;
}

std::string ServerView::trouble() const {
  MutexLock lock(mutex_);
  return trouble_;
}

void ServerView::wait_until_settled(milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  MutexLock lock(mutex_);
  while (!settled_) {
    const auto left = std::chrono::ceil<milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    settled_changed_.wait_for(mutex_, left);
  }
}

// ---- the server ----

Server::Server(ServerPlan plan, std::shared_ptr<ServerView> view, Place place)
    : plan_(std::move(plan)), view_(std::move(view)), place_(place), restart_delay_(kRestartDelayMin) {}

Server::~Server() {
  *self_ = nullptr;
  view_->settle();
}

void Server::start() {
  if (session_) return;
  restart_timer_.reset();
  open_session();
}

void Server::open_session() {
  session_ = std::make_unique<Session>(static_cast<SessionOwner&>(*this), place_.loop, place_.limits, plan_.name);
  const auto bytes_max = place_.limits.mcp_message_bytes_max;
  auto link = std::visit(
      Overloaded{[&](const SpawnPlan& command) {
                   return StdioLink::start(command, session_->link_owner(),
                                           {place_.loop, place_.farewells, plan_.name, plan_.secrets, bytes_max});
                 },
                 [&](const HttpPlan& address) -> Result<std::unique_ptr<Link>> {
                   return std::make_unique<HttpLink>(
                       address, session_->link_owner(),
                       HttpLink::Place{place_.loop, place_.clients, place_.farewells, plan_.name, bytes_max});
                 }},
      plan_.way);
  if (!link) return fall(link.error().message);
  session_->start(std::move(*link), known_era_);
}

// ---- calls ----

void Server::call(std::uint64_t key, std::shared_ptr<const ToolPlan> tool, json::object arguments, Done finish) {
  Call& call = calls_[key];
  call.tool = std::move(tool);
  call.arguments = std::move(arguments);
  call.finish = std::move(finish);
  if (session_ && session_->is_ready()) return send(key, call);
  start();
}

void Server::cancel(std::uint64_t key) {
  const auto call = calls_.extract(key);
  if (!call.empty() && call.mapped().sent != 0 && session_) session_->cancel(call.mapped().sent);
}

// What a person may have approved is the tool as it was. One that only reads was approved by nobody.
bool Server::has_changed(const ToolPlan& tool) const {
  if (!tool.spec.writes) return false;
  const auto now = view_->tools();
  return std::ranges::any_of(
      now, [&](const auto& other) { return other->name == tool.name && other->spec.version != tool.spec.version; });
}

void Server::send(std::uint64_t key, Call& call) {
  if (has_changed(*call.tool)) {
    auto over = calls_.extract(key);
    return over.mapped().finish(ToolOutcome::error(
        ToolStatus::kToolError, "This tool has become another one since this run began; it was not called."));
  }
  const auto total = place_.limits.mcp_call_time_max;
  ToolCall request;
  request.name = call.tool->name;
  request.arguments = call.arguments;
  request.headers = headers_of(*call.tool, call.arguments);
  request.patience = {std::min(plan_.timeout.value_or(place_.limits.mcp_call_timeout), total), total};
  call.sent = session_->call(std::move(request), [this, key](Answer answer) { take_answer(key, std::move(answer)); });
}

void Server::take_answer(std::uint64_t key, Answer answer) {
  const auto found = calls_.find(key);
  if (found == calls_.end()) return;
  Call& call = found->second;
  if (const auto* lost = std::get_if<Lost>(&answer)) {
    if (lost->loss == Loss::kSessionGone && !std::exchange(call.repeated, true)) {
      // The server did nothing; with a new session it can.
      call.sent = 0;
      return fall(lost->why);
    }
    log_warn("a call of an MCP tool was lost",
             {{"server", plan_.name}, {"tool", call.tool->spec.name}, {"why", lost->why}});
  }
  if (auto* error = std::get_if<RpcError>(&answer)) {
    error->message = presentable(std::move(error->message), plan_.secrets);
    log_warn("an MCP server refused a call", {{"server", plan_.name},
                                              {"tool", call.tool->spec.name},
                                              {"code", std::to_string(error->code)},
                                              {"error", error->message}});
  }
  const auto* error = std::get_if<RpcError>(&answer);
  // The headers that we made of the schema are not those that the server wants: it has another schema by now.
  if (error != nullptr && error->code == kHeaderMismatch && session_) session_->list_again();
  auto taken = calls_.extract(found);
  auto outcome = outcome_of(std::move(answer), *taken.mapped().tool, plan_.name);
  taken.mapped().finish(without(plan_.secrets, std::move(outcome)));
}

void Server::send_waiting() {
  for (auto at = calls_.begin(); at != calls_.end();) {
    auto& [key, call] = *at++;  // sending may be the end of the call
    if (call.sent == 0) send(key, call);
  }
}

void Server::fail_waiting() {
  for (auto at = calls_.begin(); at != calls_.end();) {
    if (at->second.sent != 0) {
      ++at;
      continue;
    }
    at->second.finish(not_running(plan_.name));
    at = calls_.erase(at);
  }
}

// ---- sessions ----

void Server::on_tools(const std::vector<json::object>& tools, Era era) {
  if (std::holds_alternative<HttpPlan>(plan_.way)) known_era_ = era;
  up_since_ms_ = place_.loop.clock().mono().ms;
  const auto before = view_->tools();
  auto plans = plan_tools(tools, plan_, place_.limits, era);
  const bool same =
      std::equal(before.begin(), before.end(), plans.begin(), plans.end(), [](const auto& a, const auto& b) {
        return a->spec.name == b->spec.name && a->spec.version == b->spec.version && a->output_json == b->output_json;
      });
  log_info("an MCP server is ready", {{"server", plan_.name},
                                      {"tools", std::to_string(plans.size())},
                                      {"era", era == Era::kModern ? "modern" : "legacy"}});
  said_.clear();
  view_->set_trouble({});
  if (!same) view_->set_tools(std::move(plans));
  view_->settle();
  if (!same) view_->tell_change();
  send_waiting();
}

void Server::on_ended(std::string why) {
  fall(std::move(why));
}

void Server::fall(std::string why) {
  if (!session_) return;
  why = presentable(std::move(why), plan_.secrets);
  const bool was_ready = up_since_ms_ != 0;
  const bool was_steady = was_ready && place_.loop.clock().mono().ms - up_since_ms_ >= kSteadyAfter.count();
  up_since_ms_ = 0;
  session_->close();
  // It may be in the middle of telling us.
  ended_.push_back(std::move(session_));
  place_.loop.post([self = self_] {
    if (*self != nullptr) (*self)->ended_.clear();
  });
  if (std::exchange(said_, why) != why) log_warn("an MCP server is down", {{"server", plan_.name}, {"why", why}});
  view_->set_trouble("MCP server " + plan_.name + " " + why);
  view_->settle();
  if (!was_ready) {
    known_era_ = Era::kUnknown;
    fail_waiting();
  }
  if (was_steady) restart_delay_ = kRestartDelayMin;
  const auto delay = std::exchange(restart_delay_, std::min(restart_delay_ * 2, kRestartDelayMax));
  const bool wanted =
      std::any_of(calls_.begin(), calls_.end(), [](const auto& entry) { return entry.second.sent == 0; });
  restart_timer_ = place_.loop.after(wanted ? milliseconds(0) : delay, [this] { start(); });
}

}  // namespace braidlog::tool::mcp
