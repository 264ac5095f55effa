#include "server/run_source.h"

#include <utility>

namespace braidlog {

namespace {

constexpr int kTries = 50;  // reads of the store, some tens of microseconds each

}  // namespace

void RunSource::find(RunId run_id, Found found) {
  look(run_id, kTries, std::move(found));
}

void RunSource::look(RunId run_id, int tries_left, Found found) {
  if (auto live = log_.find(run_id)) return found(std::move(live));
  const auto kept = finished_.find(run_id);
  if (auto finished = kept == finished_.end() ? nullptr : kept->second.lock()) return found(std::move(finished));
  read_then(
      store_, loop_, [run_id](StoreReader& reader) { return reader.records(run_id); },
      [this, run_id, tries_left, found = std::move(found)](Result<std::string> bytes) mutable {
        // Unfinished and not here: its start is on the way from the store to this thread, or its end was a moment ago.
        const bool in_between = !bytes && bytes.error().code == ErrorCode::kInvalidState;
        if (in_between && tries_left > 0) return look(run_id, tries_left - 1, std::move(found));
        if (in_between) bytes = fail(ErrorCode::kUnavailable, "The run cannot be read right now");
        found(keep(run_id, std::move(bytes)));
      });
}

Result<std::shared_ptr<RunRecords>> RunSource::keep(RunId run_id, Result<std::string> bytes) {
  if (!bytes) return fail(bytes.error());
  const auto kept = finished_.find(run_id);
  if (auto records = kept == finished_.end() ? nullptr : kept->second.lock()) return records;  // another was faster
  auto records = std::make_shared<RunRecords>(run_id);
  if (auto loaded = records->load(std::move(*bytes)); !loaded) return fail(loaded.error());
  finished_[run_id] = records;
  return records;
}

void RunSource::let_go(RunId run_id) {
  const auto kept = finished_.find(run_id);
  if (kept != finished_.end() && kept->second.expired()) finished_.erase(kept);
}

void RunSource::fetch(const HistoryNeed& need, UniqueFunction<void(std::shared_ptr<const api::SessionView>)> take) {
  read_then(
      store_, loop_, [need](StoreReader& reader) { return reader.messages(need.session_id, need.message_count); },
      [need, take = std::move(take)](Result<std::vector<api::Message>> messages) mutable {
        if (!messages || messages->size() != need.message_count) return take(nullptr);
        take(std::make_shared<const api::SessionView>(api::SessionView{std::move(*messages)}));
      });
}

}  // namespace braidlog
