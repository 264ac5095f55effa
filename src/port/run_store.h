// Where sessions, runs and their events are durable. Two halves: RunStore is the one writer, StoreReader a reader.
// Both block; they are called only from the store's own threads (runlog/store_threads.h), never from an io thread.
//
// Ownership. A run is written by one owner at a time. `NewRun` makes its caller the owner with epoch 1; claim_runs()
// gives every unfinished run without a living owner to a new one, with the next epoch. An Append states the epoch
// and the sequence it follows; a store refuses it with kFenced when either is not the current one, and the writer
// that gets kFenced stops: somebody else has the run.
//
// Constraints that hold in the store, not in anybody's memory: one run at work per session (others wait their turn in
// the order of their ids, or are refused), one run per idempotency key, an approval is decided once, a finished run
// takes no more events or orders.
//
// Every adapter passes port/testing/run_store_contract.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/alert.h"
#include "api/run.h"
#include "api/session.h"
#include "base/lazy_box.h"
#include "base/result.h"
#include "event/sequence.h"
#include "port/run_search.h"

namespace braidlog {

// A task that a run works on, or is done with. Absent: as it was.
struct TaskChange {
  TaskId id;
  TaskStatus status = TaskStatus::kPending;
  std::optional<std::string> result{};
  std::optional<std::string> reflection{};
};

struct DataItemChange {
  DataOperation operation = DataOperation::kCreate;
  api::DataItem item;  // of a deletion only its id
};

// The text of the files that came with a message, found after the message was stored.
struct AttachedText {
  MessageId message_id;
  std::string text;
};

// What the tables show once an append's events are durable: written in the same transaction.
struct RunEffects {
  RunStatus status = RunStatus::kRunning;
  std::optional<WallTime> started_at, ended_at;
  std::optional<FailureCode> failure;
  std::string failure_message;
  std::optional<Usage> usage;            // of the whole run so far
  std::vector<api::Message> messages;    // appended to the session in this order
  std::optional<AttachedText> attached;  // after `messages`
  std::vector<api::Approval> approvals_opened;
  std::vector<std::pair<ApprovalId, Verdict>> approvals_closed;
  std::vector<std::string> tools_approved;  // for the rest of the session
  std::vector<std::uint64_t> orders_done;   // these orders have become events
  // The tasks of the session, all of them: who is not in it is gone, who was there keeps result, reflection and times.
  std::optional<std::vector<TaskItem>> tasks;
  std::vector<TaskChange> task_changes;  // after `tasks`; in this order
  std::vector<api::Artifact> artifacts;  // made
  std::vector<DataItemChange> data_items;
  std::optional<api::SessionStatus> session_status;
  std::optional<WallTime> changed_at;  // when there is anything of the last five

  bool changes_tasks() const { return tasks || !task_changes.empty(); }
  bool changes_items() const { return changes_tasks() || !artifacts.empty() || !data_items.empty() || session_status; }
};

struct NewSession {
  api::Session session;
};

// kArtifactNotFound when the session has none of that id.
struct RemoveArtifact {
  SessionId session_id;
  ArtifactId id;
};

struct SetSession {
  SessionId id;
  std::optional<bool> auto_approve;
  std::optional<std::string> title;
  WallTime updated_at;
};

// Deletes the session with everything in it. kInvalidState while a run of it is unfinished.
struct RemoveSession {
  SessionId id;
};

// Whose idempotency keys: a session's, or a user's where the request named no session.
struct KeyScope {
  std::optional<SessionId> session_id;
  std::string user_id;  // without a session
};

// Makes a run with its first events. In this order: kSessionNotFound; the same key and fingerprint: the earlier run
// (existing_run); the same key, another fingerprint: kIdempotencyConflict; an unfinished run of the session:
// kActiveRunExists with its prefixed id as subject, unless this one `may_wait`; the session does not have
// `expected_message_count` messages, or its tasks are not at `expected_task_version`: kFenced (read it again).
//
// A run that may wait is made with its first record alone and without effects when the session is busy: it is kQueued,
// and WriteOutcome::waits. kRateLimited when `waiting_max` runs of the session wait already; kFenced, with the last of
// those as subject, when that one's id is not before this one's: turns come in the order in which they were asked for,
// whatever the clocks say, so the caller makes an id after it.
struct NewRun {
  api::Run run;
  std::optional<api::Session> new_session{};  // made with the run, and only with it
  std::string idempotency_key{};              // empty: none
  std::string fingerprint{};
  KeyScope key_scope{};
  std::uint64_t expected_message_count = 0;
  std::optional<std::uint64_t> expected_task_version{};  // none: the run has nothing to do with tasks
  bool may_begin = true;  // false: only an earlier run of the same key is wanted; without one kRateLimited
  bool may_wait = false;
  std::uint32_t waiting_max = 0;
  std::size_t first_record_bytes = 0;  // of `records`; only needed for one that may wait
  std::string owner{};
  std::string records{};  // event/encoding.h, from sequence 1
  std::uint32_t record_count = 0;
  std::string text{};  // the beginning of what was asked for, for lists (run_search.h)
  RunEffects effects{};
};

struct Append {
  RunId run_id;
  Sequence follows;  // the sequence before the first record
  std::uint64_t epoch = 0;
  std::string records;  // not needed when they are in `sealed`
  std::uint32_t record_count = 0;
  LazyBox<RunEffects> effects;  // of a word that was said: none, but that the run is at work
  // Set when the records end the run: every record of the run from sequence 1, these included. The store keeps a
  // finished run as one piece.
  std::optional<std::string> sealed;
};

// An order to a run: durable first, then an event, then acknowledged.
struct RunOrder {
  enum class Kind : std::uint8_t { kDecide = 0, kInterrupt = 1 };
  std::uint64_t id = 0;  // given by the store, increasing
  Kind kind = Kind::kInterrupt;
  std::string user_id;
  std::string reason;
  // kDecide:
  ApprovalId approval_id;
  Verdict verdict = Verdict::kApproved;
  bool apply_to_future = false;
};

// kRunNotFound; kInvalidState when the run is over; for a decision kApprovalNotFound and kAlreadyDecided. A placed
// decision consumes the approval at once. Orders of a run vanish when the run ends.
struct PlaceOrder {
  RunId run_id;
  RunOrder order;
};

// Takes the events of runs that ended before then out of the store, the oldest first, at most `count_max` of them.
// records() of such a run is kGone; everything else of it stays.
struct ExpireRuns {
  WallTime ended_before;
  std::uint32_t count_max = 0;
};

// Keeps an alert; the second time for the same run and call it is the first one's ticket again.
struct AddAlert {
  api::Alert alert;
};

// Most are an Append; a run is large and made once.
using Write = std::variant<NewSession, SetSession, RemoveSession, LazyBox<NewRun>, Append, PlaceOrder, ExpireRuns,
                           AddAlert, RemoveArtifact>;

struct WriteOutcome {
  std::optional<RunId> existing_run{};  // NewRun: the key named this run
  bool auto_approve = false;            // NewRun: what the session says in this very transaction
  bool waits = false;                   // NewRun: the session is busy
  std::optional<RunId> next_run{};      // Append that ends a run: the one whose turn it is now
  std::uint64_t ticket = 0;             // AddAlert
  std::uint64_t order_id = 0;           // PlaceOrder
  std::uint32_t expired = 0;            // ExpireRuns: how many
};

struct ClaimedRun {
  api::Run run;
  std::uint64_t epoch = 0;
  std::string records;           // all of them, from sequence 1
  std::vector<RunOrder> orders;  // not yet events, oldest first
};

// Reads what is committed. One thread at a time.
class StoreReader {
 public:
  virtual ~StoreReader() = default;

  virtual Result<api::Session> session(SessionId id) = 0;  // kSessionNotFound
  // Last updated first; of one user, or of all. The page before ended at `after`.
  struct SessionPlace {
    WallTime updated_at;
    SessionId id;
  };
  struct SessionQuery {
    std::optional<std::string> user_id;
    std::uint32_t limit = 100;
    std::uint32_t offset = 0;
    std::optional<SessionPlace> after{};
    std::optional<api::SessionStatus> status{};
  };
  virtual Result<api::SessionList> sessions(const SessionQuery& query) = 0;
  virtual Result<std::vector<api::Message>> messages(SessionId id, std::uint64_t count_max) = 0;  // oldest first
  virtual Result<api::Run> run(RunId id) = 0;                                                     // kRunNotFound
  virtual Result<api::RunList> runs(SessionId session_id) = 0;                                    // oldest first
  // Newest first. `next` is the last that was looked at, when there may be more before it.
  virtual Result<api::FoundRuns> find_runs(const RunQuery& query) = 0;
  // Pending approvals of one session, of all sessions of a user, or of everybody; oldest first.
  virtual Result<api::ApprovalList> approvals(SessionId session_id) = 0;
  virtual Result<api::ApprovalList> approvals_of_user(const std::string& user_id) = 0;
  virtual Result<api::ApprovalList> all_approvals() = 0;
  // The approval in any state; kApprovalNotFound.
  virtual Result<api::Approval> approval(ApprovalId id) = 0;
  // Every record of a finished run, from sequence 1. kRunNotFound, kGone; kInvalidState while it is unfinished.
  virtual Result<std::string> records(RunId id) = 0;
  virtual Result<api::AlertList> alerts(std::uint32_t limit) = 0;  // newest first
  // Of one session, whoever it belongs to; an unknown session has none.
  virtual Result<api::TaskList> tasks(SessionId session_id) = 0;                                         // by order
  virtual Result<api::ArtifactList> artifacts(SessionId session_id, const std::string& type) = 0;        // oldest first
  virtual Result<api::DataItemList> data_items(SessionId session_id, const std::string& item_type) = 0;  // the same
  virtual Result<std::uint64_t> data_item_count(SessionId session_id) = 0;
  virtual Result<api::Artifact> artifact(SessionId session_id, ArtifactId id) = 0;   // kArtifactNotFound
  virtual Result<api::DataItem> data_item(SessionId session_id, DataItemId id) = 0;  // kDataItemNotFound
};

class RunStore {
 public:
  virtual ~RunStore() = default;

  // All in one durable transaction; the result of each stands at its place. A refused write (one of the codes above)
  // changes nothing and does not disturb the others. When the transaction itself fails every result is kStorage and
  // nothing was written.
  virtual std::vector<Result<WriteOutcome>> commit(std::span<const Write> writes) = 0;

  // Makes `owner` the owner of every unfinished run whose owner is not living: with one server, of all of them.
  virtual Result<std::vector<ClaimedRun>> claim_runs(const std::string& owner) = 0;

  // The newest id of all that is stored, or zeros: the ids that a server makes go on after it.
  virtual Result<Id128> newest_id() = 0;

  // Takes one short step of clearing what deletions left behind on the disk. Called again and again, mostly when no
  // write waits; kTidy when there is nothing (more) to do, kBlocked when it cannot be done now.
  enum class Tidiness { kTidy, kMore, kBlocked };
  virtual Tidiness tidy() { return Tidiness::kTidy; }

  // Thread-safe.
  virtual Result<std::unique_ptr<StoreReader>> open_reader() = 0;
};

}  // namespace braidlog
