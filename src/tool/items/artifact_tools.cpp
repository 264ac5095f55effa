#include "tool/items/artifact_tools.h"

#include <utility>

#include "tool/call.h"

namespace braidlog::tool {

namespace {

constexpr const char* kCreateSchema =
    R"({"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":200,)"
    R"("description":"What people will see it called"},)"
    R"("type":{"enum":["document","note","summary","plan","other"]},)"
    R"("content":{"type":"string","description":"The whole text, Markdown where it helps"}},)"
    R"("required":["name","type","content"],"additionalProperties":false})";
constexpr const char* kIdSchema =
    R"({"type":"object","properties":{"artifact_id":{"type":"string","minLength":1,"maxLength":200,)"
    R"("description":"As create_artifact or list_artifacts gave it"}},)"
    R"("required":["artifact_id"],"additionalProperties":false})";
constexpr const char* kNothingSchema = R"({"type":"object","properties":{},"additionalProperties":false})";
constexpr const char* kUnreadable = "the session's artifacts could not be read";

json::object head_of(const ArtifactId& id, const std::string& name, const std::string& type) {
  return {{"artifact_id", to_uuid(id)}, {"name", name}, {"type", type}};
}

ToolOutcome created(const ItemToolContext& context, const Result<api::ArtifactList>& present, ArtifactId id,
                    ArtifactMade made) {
  if (!present) return refuse(kUnreadable);
  if (present->size() >= context.artifacts_max) {
    return refuse("the session has " + std::to_string(present->size()) + " artifacts, and may have no more");
  }
  ToolOutcome outcome = ToolOutcome::ok(head_of(id, made.name, made.type));
  outcome.changes.emplace_back(std::move(made));
  return outcome;
}

ToolOutcome shown(const ItemToolContext& context, const Result<api::Artifact>& artifact, const std::string& id) {
  if (!artifact) {
    return artifact.error().code == ErrorCode::kArtifactNotFound ? refuse_unknown("artifact", id) : refuse(kUnreadable);
  }
  std::string content(utf8_prefix(artifact->content, context.text_bytes_max));
  if (content.size() < artifact->content.size()) {
    content += "\n[cut here: the first " + std::to_string(content.size()) + " of " +
               std::to_string(artifact->content.size()) + " bytes]";
  }
  json::object value = head_of(artifact->id, artifact->name, artifact->type);
  value["content"] = std::move(content);
  return ToolOutcome::ok(std::move(value));
}

ToolOutcome listed(const ItemToolContext& context, const Result<api::ArtifactList>& artifacts) {
  if (!artifacts) return refuse(kUnreadable);
  json::array value;
  std::string text;
  for (const auto& artifact : *artifacts) {
    if (text.size() > context.text_bytes_max) {
      text += "\n[cut here: the first " + std::to_string(value.size()) + " of " + std::to_string(artifacts->size()) +
              " artifacts]";
      break;
    }
    if (!text.empty()) text += '\n';
    text += to_uuid(artifact.id) + ": " + artifact.name + " (" + artifact.type + ")";
    json::object item = head_of(artifact.id, artifact.name, artifact.type);
    item["created_at"] = to_iso8601(artifact.created_at);
    value.emplace_back(std::move(item));
  }
  if (artifacts->empty()) text = "The session has no artifacts.";
  return {ToolStatus::kOk, std::move(value), std::move(text), {}};
}

}  // namespace

CreateArtifact::CreateArtifact(ItemToolContext context)
    : SchemaTool(item_spec("create_artifact", "Keeps a text for the user as a named artifact of the session.",
                           kCreateSchema, true)),
      context_(context) {}

std::unique_ptr<ToolRun> CreateArtifact::start(ToolInvocation invocation, Loop& loop,
                                               UniqueFunction<void(ToolOutcome)> done) {
  ArtifactMade made{.name = string_argument(invocation.args, "name"),
                    .type = string_argument(invocation.args, "type"),
                    .content = string_argument(invocation.args, "content")};
  if (is_blank(made.name)) return answer_later(loop, refuse_blank("name"), std::move(done));
  if (made.content.size() > context_.artifact_bytes_max) {
    return answer_later(loop, refuse_long("content", made.content.size(), context_.artifact_bytes_max),
                        std::move(done));
  }
  PendingCall call = wait_for_outcome(loop, std::move(done));
  context_.items.artifacts(invocation.session_id, loop,
                           [finish = std::move(call.finish), context = context_, made = std::move(made),
                            id = ArtifactId{invocation.call_id.value}](Result<api::ArtifactList> present) mutable {
                             finish(created(context, present, id, std::move(made)));
                           });
  return std::move(call.run);
}

ReadArtifact::ReadArtifact(ItemToolContext context)
    : SchemaTool(item_spec("read_artifact", "Reads an artifact of the session.", kIdSchema, false)),
      context_(context) {}

std::unique_ptr<ToolRun> ReadArtifact::start(ToolInvocation invocation, Loop& loop,
                                             UniqueFunction<void(ToolOutcome)> done) {
  std::string text = string_argument(invocation.args, "artifact_id");
  const auto id = ArtifactId::parse(text);
  if (!id) return answer_later(loop, refuse_unknown("artifact", text), std::move(done));
  PendingCall call = wait_for_outcome(loop, std::move(done));
  context_.items.artifact(invocation.session_id, *id, loop,
                          [finish = std::move(call.finish), context = context_, text = std::move(text)](
                              Result<api::Artifact> artifact) mutable { finish(shown(context, artifact, text)); });
  return std::move(call.run);
}

ListArtifacts::ListArtifacts(ItemToolContext context)
    : SchemaTool(
          item_spec("list_artifacts", "Lists the artifacts of the session with their ids.", kNothingSchema, false)),
      context_(context) {}

std::unique_ptr<ToolRun> ListArtifacts::start(ToolInvocation invocation, Loop& loop,
                                              UniqueFunction<void(ToolOutcome)> done) {
  PendingCall call = wait_for_outcome(loop, std::move(done));
  context_.items.artifacts(invocation.session_id, loop,
                           [finish = std::move(call.finish), context = context_](
                               Result<api::ArtifactList> artifacts) mutable { finish(listed(context, artifacts)); });
  return std::move(call.run);
}

}  // namespace braidlog::tool
