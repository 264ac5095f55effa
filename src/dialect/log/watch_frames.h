// The frames that a stream of many runs has of its own, beside those of the views. What comes for a watch names its
// view and its run in the `event:` line:
//
//   event: log run_01…          the frame of the view follows: `id:` and `data:`
//   event: caught-up run_01…    everything that was there is delivered
//   event: over run_01…         the run has ended, and nothing more comes for this watch
//   event: refused run_01…      the run cannot be shown, and nothing comes for this watch
#pragma once

#include <string>
#include <string_view>

#include "api/caller.h"
#include "base/error.h"
#include "base/ids.h"
#include "event/run_state.h"

namespace braidlog::log {

// What a watch is called in its frames.
struct WatchName {
  std::string view;
  std::string run;
};

// The line that goes in front of a frame of the view.
std::string event_line(const WatchName& watch);
std::string caught_up_frame(const WatchName& watch);
std::string over_frame(const WatchName& watch);
std::string refused_frame(const WatchName& watch, const Error& error);

// The first of the stream.
std::string hello_frame(const api::Caller& caller);
// `what`: "run", "approvals", "tasks" or "items".
struct ChangedRun {
  RunId run_id;
  SessionId session_id;
  RunStatus status = RunStatus::kQueued;
};
std::string changed_frame(const ChangedRun& run, std::string_view what);
// Changes were too many for this client and are not told: lists are to be read anew.
std::string missed_frame();

}  // namespace braidlog::log
