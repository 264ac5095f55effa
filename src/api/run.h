// Runs: how one is started, looked at and stopped, and the approvals it waits for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ids.h"
#include "event/run_state.h"

namespace braidlog::api {

struct Run {
  RunId id;
  SessionId session_id;
  std::string user_id;
  std::string agent;
  std::string contract;
  RunStatus status = RunStatus::kQueued;
  WallTime created_at;
  std::optional<WallTime> started_at, ended_at;
  std::optional<FailureCode> failure;  // when status is kFailed
  std::string failure_message;
  std::optional<Usage> usage;
  Sequence last;           // the last durable event; exact when the run is over
  bool replayable = true;  // false after retention: the events are gone, this row stays
};

// A file that comes with a message. Its text was found to be text before; the name is a label from the client.
struct AttachedFile {
  std::string name;
  std::string media_type;
  std::string content;
};

struct StartedRun {
  RunId run_id;
  bool existed = false;  // an earlier request made it: the same key, or the same text just now (`attaches`)
};
struct StartRun {
  using ReplyValue = StartedRun;
  std::optional<SessionId> session_id;  // none: a new session of the caller, with `title`
  bool else_new = false;                // an unknown or foreign session means a new one
  std::string contract;
  Way way = Way::kConverse;  // kExecute: the pending tasks of the session, without a text
  std::string agent;         // empty: the session's, else the contract's default
  std::string text;
  std::optional<std::string> context;
  std::vector<AttachedFile> files{};
  std::string title{};             // of a new session; empty: the usual one
  std::string idempotency_key{};   // empty: none. Of the session, or of the caller where the request names none
  std::string fingerprint{};       // what must be equal for the same key to mean the same run
  bool waits = false;              // in a busy session: wait for the turn. kRateLimited when too many wait already
  bool attaches = false;           // a live run of the session with the same text, begun just now, is meant
  bool stops_with_client = false;  // it is over when its client goes, and after a restart
};

struct GetRun {
  using ReplyValue = Run;
  RunId id;
  std::optional<SessionId> session_id{};  // when given, the run must be of this session
  bool own = false;                       // the caller's own alone, for an admin too
};
using RunList = std::vector<Run>;
struct ListRuns {
  using ReplyValue = RunList;
  SessionId session_id;
};

// A run as lists of runs of many sessions show it.
struct FoundRun {
  Run run;
  std::string session_title;
  std::string text;  // the beginning of what was asked for
};
struct FoundRuns {
  std::vector<FoundRun> items;  // newest first
  std::optional<RunId> next{};  // there may be more before this one
};
// Runs of all sessions of the caller.
struct FindRuns {
  using ReplyValue = FoundRuns;
  std::string words{};  // in the session's title, the agent's name, the text or an id, in any case; empty: anything
  std::optional<RunStatus> status{};
  std::string agent{};  // empty: any
  std::optional<SessionId> session_id{};
  std::optional<RunId> before{};
  std::uint32_t limit = 50;
  bool everybody = false;  // for an admin: of all users
};

struct Interrupt {
  using ReplyValue = Run;
  RunId id;
  std::optional<SessionId> session_id;
  std::string reason = "user";
};

struct Approval {
  ApprovalId id;
  RunId run_id;
  SessionId session_id;
  std::string tool_name;
  std::string args_json;
  WallTime created_at;
};
using ApprovalList = std::vector<Approval>;
// The pending ones, oldest first; without a session, of all sessions of the caller.
struct ListApprovals {
  using ReplyValue = ApprovalList;
  std::optional<SessionId> session_id{};
  bool everybody = false;  // for an admin: of all users
};

struct Decided {
  ApprovalId approval_id;
  RunId run_id;
  Verdict verdict = Verdict::kApproved;
};
struct Decide {
  using ReplyValue = Decided;
  SessionId session_id;
  ApprovalId approval_id;
  Verdict verdict = Verdict::kApproved;
  std::string reason;  // of a rejection
  bool apply_to_future = false;
};

}  // namespace braidlog::api
