#include "session_book.h"

#include <algorithm>

namespace braidlog::sim {

void SessionBook::make(RunId run, bool waits) {
  const bool is_busy = working_ || !waiting_.empty();
  if (is_busy && !waits) world_.violate(id_, " is busy, and ", run, " began in it");
  if (!is_busy && waits) world_.violate(run, " waits, and nobody is before it in ", id_);
  if (!waits) {
    working_ = run;
    return;
  }
  if (waiting_.size() >= world_.profile.limits.waiting_turns_max) world_.violate("too many runs wait in ", id_);
  if (!waiting_.empty() && waiting_.back() > run)
    world_.violate(run, " came after ", waiting_.back(), " and has an earlier id");
  waiting_.push_back(run);
}

bool SessionBook::is_waiting(RunId run) const {
  return std::ranges::find(waiting_, run) != waiting_.end();
}

void SessionBook::begin(const RunHistory& run) {
  const auto& begun = run.state().begun;
  if (run.was_dropped()) {
    if (!is_waiting(run.id())) world_.violate(run.id(), " lost its words, and its turn had come");
    if (begun.message_position != 0) world_.violate(run.id(), " was dropped, and has a place among the messages");
    return;
  }
  if (is_waiting(run.id())) {
    if (working_) world_.violate(run.id(), " began before ", *working_, " was over");
    if (waiting_.front() != run.id()) world_.violate(run.id(), " began before ", waiting_.front(), ", which was first");
    std::erase(waiting_, run.id());
    working_ = run.id();
  }
  if (!begun.text.empty()) {
    messages_.push_back({begun.user_message_id, "user", begun.text, run.state().started_at, run.id(), {}});
  }
  if (begun.message_position != messages_.size()) {
    world_.violate(run.id(), " says that it is at message ", begun.message_position, " of ", id_, " and is at ",
                   messages_.size());
  }
}

void SessionBook::end(const RunHistory& run) {
  std::erase(waiting_, run.id());
  if (working_ == run.id()) working_.reset();
  const RunState& state = run.state();
  if (const std::string said = run.message(); !said.empty()) {
    messages_.push_back({state.begun.assistant_message_id, "assistant", said, state.ended_at, run.id(), {}});
  }
  if (run.end_position() && *run.end_position() != messages_.size()) {
    world_.violate(run.id(), " says that ", id_, " has ", *run.end_position(), " messages at its end, and it has ",
                   messages_.size());
  }
}

void SessionBook::remove() {
  if (working_ || !waiting_.empty()) world_.violate(id_, " was deleted with a run that is not over");
}

std::shared_ptr<const api::SessionView> SessionBook::view() const {
  return std::make_shared<const api::SessionView>(api::SessionView{messages_});
}

void SessionBook::check_messages() const {
  const auto at = world_.tables.sessions.find(id_);
  if (at == world_.tables.sessions.end()) return;
  const auto same = [](const api::Message& a, const api::Message& b) {
    return a.id == b.id && a.role == b.role && a.content == b.content && a.created_at == b.created_at &&
           a.run_id == b.run_id;
  };
  if (!std::ranges::equal(at->second.messages, messages_, same)) {
    world_.violate("the messages of ", id_, " are not what its runs said, in their order");
  }
}

}  // namespace braidlog::sim
