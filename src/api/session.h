// Sessions: what holds messages, files and runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/task.h"
#include "base/clock.h"
#include "base/ids.h"
#include "event/run_event.h"

namespace braidlog::api {

// How far a session is with its tasks. New pending tasks put it back to planning. Numbers are in databases.
enum class SessionStatus : std::uint8_t { kPlanning = 0, kExecuting = 1, kCompleted = 2 };

struct Session {
  SessionId id;
  std::string user_id;
  std::string title;
  std::string agent;     // the one the session was made with; empty: the contract's default
  std::string contract;  // the dialect that made it
  bool auto_approve = false;
  std::vector<std::string> approved_tools;  // "apply to future" of an approval
  WallTime created_at, updated_at;
  std::uint64_t message_count = 0;
  std::optional<RunId> active_run;
  std::uint64_t pending_approvals = 0;
  std::optional<Usage> usage;  // over all runs that reported any
  SessionStatus status = SessionStatus::kPlanning;
  std::uint64_t task_version = 0;  // counts the changes of its tasks
};

struct Message {
  MessageId id;
  std::string role;  // "user" or "assistant"
  std::string content;
  WallTime created_at;
  RunId run_id;
  std::string attached{};  // the text of files that came with it: for the model, no part of what was said
};

// What a session shows of its past: the messages up to a position, which never change.
struct SessionView {
  std::vector<Message> messages;  // oldest first
};
struct Conversation {
  Session session;
  SessionView view;
};

// Everything of a session; artifacts without their content.
struct WholeSession {
  Session session;
  std::vector<Message> messages;
  TaskList tasks;
  ArtifactList artifacts;
  DataItemList data_items;
};
struct GetWholeSession {
  using ReplyValue = WholeSession;
  SessionId id;
};

struct CreateSession {
  using ReplyValue = Session;
  std::string title;
  std::string agent;
  std::string contract;
  bool auto_approve = false;
  bool fixes_agent = true;  // no agent named: the contract's default is it from now on; else each contract has its own
};
struct DeletedSession {};
struct DeleteSession {
  using ReplyValue = DeletedSession;
  SessionId id;
};
struct GetSession {
  using ReplyValue = Session;
  SessionId id;
};
struct SessionList {
  std::vector<Session> items;
  std::uint64_t total = 0;
};
struct ListSessions {
  using ReplyValue = SessionList;
  std::uint32_t limit = 100;
  std::uint32_t offset = 0;
  bool everybody = false;  // for an admin: those of all users
  std::optional<SessionStatus> status{};
};

struct GetConversation {
  using ReplyValue = Conversation;
  SessionId id;
};
// A page of conversations with all their messages, last updated first.
struct ConversationPage {
  std::vector<Conversation> items;
  std::string next_cursor;  // empty: there are no more
};
struct ListConversations {
  using ReplyValue = ConversationPage;
  std::uint32_t limit = 20;
  std::string cursor;  // of the page before; empty: from the newest. kBadField when it is none of ours
  bool everybody = false;
};
struct RenameSession {
  using ReplyValue = Session;
  SessionId id;
  std::string title;
};
// Replies with what is now in force.
struct AutoApprove {
  bool enabled = false;
};
struct SetAutoApprove {
  using ReplyValue = AutoApprove;
  SessionId id;
  bool enabled = false;
};

}  // namespace braidlog::api
