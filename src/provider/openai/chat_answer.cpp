#include "provider/openai/chat_answer.h"

#include <algorithm>
#include <utility>

namespace braidlog::provider {

namespace {

constexpr std::size_t kSlotsMax = 256;
constexpr std::size_t kUnclaimedBytesMax = 64 * 1024;

// None: the answer failed, whatever was said before.
std::optional<FinishReason> unified(std::string_view raw, bool has_calls) {
  if (raw == "abort" || raw == "error") return std::nullopt;
  if (raw == "length") return FinishReason::kLength;
  if (raw == "content_filter") return FinishReason::kContentFilter;
  // Some servers say "stop" after tool calls, others have words of their own for either.
  return has_calls ? FinishReason::kToolCalls : FinishReason::kStop;
}

}  // namespace

Status ChatAnswer::take(const ChatChunk& chunk) {
  if (chunk.is_error) return fail(ErrorCode::kProvider, "The model provider reported an error in mid-answer");
  if (chunk.usage) usage_ = chunk.usage;  // the last one counts: some servers send a running total with every chunk
  if (response_id_.empty()) response_id_ = chunk.id;
  if (!chunk.reasoning.empty() && sink_ != nullptr) sink_->on_reasoning(chunk.reasoning);
  if (!chunk.text.empty() && sink_ != nullptr) sink_->on_text(chunk.text);
  for (const auto& call : chunk.calls) {
    if (auto taken = take_call(call); !taken) return taken;
  }
  if (!chunk.finish_reason.empty()) finish_reason_ = chunk.finish_reason;
  return {};
}

// By index where there is one, else an id that is new begins a new call. The same index with another id and a name is
// another call: some servers number all parallel calls 0.
ChatAnswer::Slot* ChatAnswer::find_slot(const ToolCallDelta& delta) {
  for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) {
    const bool has_other_id = !delta.id.empty() && !slot->id.empty() && delta.id != slot->id;
    if (!delta.index) return has_other_id ? nullptr : &*slot;
    if (slot->index == delta.index) return has_other_id && !delta.name.empty() ? nullptr : &*slot;
  }
  return nullptr;
}

Status ChatAnswer::take_call(const ToolCallDelta& delta) {
  Slot* slot = find_slot(delta);
  if (slot == nullptr) {
    if (slots_.size() >= kSlotsMax) return fail(ErrorCode::kProvider, "The model made too many tool calls at once");
    slot = &slots_.emplace_back(Slot{delta.index, {}, false, {}});
  }
  const auto number = static_cast<unsigned>(slot - slots_.data());
  if (slot->id.empty()) slot->id = delta.id;
  if (!slot->is_begun && delta.name.empty()) {
    slot->args_unclaimed += delta.args;
    if (slot->args_unclaimed.size() <= kUnclaimedBytesMax) return {};
    return fail(ErrorCode::kProvider, "The model called a tool without saying which");
  }
  if (!std::exchange(slot->is_begun, true)) {
    const std::string before = std::exchange(slot->args_unclaimed, {});
    if (sink_ != nullptr) sink_->on_tool_call(number, slot->id, delta.name);
    if (!before.empty() && sink_ != nullptr) sink_->on_tool_args(number, before);
  }
  if (!delta.args.empty() && sink_ != nullptr) sink_->on_tool_args(number, delta.args);
  return {};
}

Result<ModelFinish> ChatAnswer::finish() {
  if (finish_reason_.empty()) return fail(ErrorCode::kUpstreamTruncated, "The model's answer was cut off");
  const auto reason = unified(finish_reason_, !slots_.empty());
  if (!reason) return fail(ErrorCode::kProvider, "The model provider ended its answer with an error");
  if (!std::ranges::all_of(slots_, &Slot::is_begun)) {
    return fail(ErrorCode::kProvider, "The model called a tool without saying which");
  }
  ModelFinish finish;
  finish.reason = *reason;
  finish.raw_reason = std::move(finish_reason_);
  finish.response_id = std::move(response_id_);
  finish.usage = usage_;
  return finish;
}

}  // namespace braidlog::provider
