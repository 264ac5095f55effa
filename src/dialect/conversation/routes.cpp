#include "dialect/conversation/routes.h"

#include <utility>

#include "dialect/ask_and_render.h"
#include "dialect/contracts.h"
#include "dialect/conversation/errors.h"
#include "dialect/conversation/projection.h"
#include "dialect/conversation/request.h"
#include "dialect/conversation/resources.h"
#include "dialect/resume.h"

namespace braidlog {

namespace {

using namespace conversation;

template <auto Read, auto Render>
constexpr auto handle = ask_and_render<Read, Render, error_response>;

OpenStream stream_of(const api::StartedRun& run) {
  OpenStream stream;
  stream.run_id = run.run_id;
  stream.contract = kConversationContract;
  return stream;
}

// A client that was cut off sends the same request again with the id of the last frame it has: it wants the rest, and
// never a second run.
Answer stream_message(const RouteRequest& request) {
  if (auto resumed = resume_run(request.http, {kConversationContract, error_response})) return std::move(*resumed);
  auto command = read_message(request);
  if (!command) return error_response(command.error());
  return ask(std::move(*command), [](Result<api::StartedRun> run) -> Answer {
    return run ? Answer(stream_of(*run)) : Answer(error_response(run.error()));
  });
}

// The run goes on when the client leaves: the answer is then found in the conversation.
Answer answer_message(const RouteRequest& request) {
  auto command = read_message(request);
  if (!command) return error_response(command.error());
  return ask(std::move(*command), [](Result<api::StartedRun> run) -> Answer {
    if (!run) return error_response(run.error());
    return AwaitRun{.run_id = run->run_id, .role = ViewerRole::kViewer, .render = run_answer};
  });
}

// The new title stands in the whole conversation.
Answer rename(const RouteRequest& request) {
  auto command = read_rename(request);
  if (!command) return error_response(command.error());
  return ask(std::move(*command), [](Result<api::Session> renamed) -> Answer {
    if (!renamed) return error_response(renamed.error());
    return ask(api::GetConversation{renamed->id}, [](Result<api::Conversation> conversation) -> Answer {
      return conversation ? conversation_body(*conversation) : error_response(conversation.error());
    });
  });
}

constexpr bool kStreams = true;
constexpr bool kAnswers = false;
constexpr bool kStartsRun = true;

constexpr Route kRoutes[] = {
    {Method::kPost, "/agent/stream", Access::kCredential, BodyRule::kJson, kStreams, stream_message, kStartsRun},
    {Method::kPost, "/agent", Access::kCredential, BodyRule::kJson, kAnswers, answer_message, kStartsRun},
    {Method::kGet, "/agent/history", Access::kCredential, BodyRule::kNone, kAnswers,
     handle<read_history, history_body>},
    {Method::kGet, "/agent/conversations/{}", Access::kCredential, BodyRule::kNone, kAnswers,
     handle<read_get, conversation_body>},
    {Method::kPatch, "/agent/conversations/{}", Access::kCredential, BodyRule::kJson, kAnswers, rename},
    {Method::kDelete, "/agent/conversations/{}", Access::kCredential, BodyRule::kNone, kAnswers,
     handle<read_delete, conversation_deleted>},
};

}  // namespace

std::string_view ConversationDialect::name() const {
  return kConversationContract;
}

std::span<const Route> ConversationDialect::routes() const {
  return kRoutes;
}

std::unique_ptr<Projection> ConversationDialect::make_projection(RunId run_id) const {
  return std::make_unique<ConversationProjection>(run_id, wire_text_bytes_max_);
}

char ConversationDialect::part_mark() const {
  return kPartMark;
}

HttpResponse ConversationDialect::error(const Error& error, RequestId) const {
  return error_response(error);
}

bool ConversationDialect::owns_path(std::string_view path) const {
  return path == "/agent" || path == "/agent/stream" || path == "/agent/history" || path == "/agent/conversations" ||
         path.starts_with("/agent/conversations/");
}

}  // namespace braidlog
