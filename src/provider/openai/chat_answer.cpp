#include "provider/openai/chat_answer.h"

#include <algorithm>
#include <utility>

#include "provider/openai/chat_request.h"
#include "provider/openai/finish_word.h"
#include "provider/openai/reasoning_details.h"
#include "provider/provider_errors.h"

namespace braidlog::provider {

namespace {

constexpr std::size_t kSlotsMax = 256;
constexpr std::size_t kUnclaimedBytesMax = 64 * 1024;

tl::unexpected<AttemptFailure> broken(const char* message, bool may_retry = false) {
  return tl::make_unexpected(AttemptFailure{{ErrorCode::kProvider, message, {}}, may_retry});
}

// Appends within the cap of what is kept; past it nothing is.
void keep(std::string& kept, std::string_view text) {
  if (kept.size() + text.size() <= kOpaqueBytesMax) kept += text;
}

}  // namespace

Attempted ChatAnswer::take(const ChatChunk& chunk) {
  if (chunk.usage) usage_ = chunk.usage;  // the last one counts: some servers send a running total with every chunk
  if (chunk.is_error) return tl::make_unexpected(failure_in_stream(chunk.error_status));
  if (response_id_.empty()) response_id_ = chunk.id;
  if (!chunk.reasoning.empty() || !chunk.details_json.empty()) take_reasoning(chunk);
  if (!chunk.text.empty()) take_text(chunk.text);
  if (!chunk.refusal.empty()) {
    has_refused_ = true;
    take_text(chunk.refusal);
  }
  for (const auto& call : chunk.calls) {
    if (auto taken = take_call(call, &call == chunk.calls.data()); !taken) return taken;
  }
  if (!chunk.finish_reason.empty() && (finish_reason_.empty() || is_graver(chunk.finish_reason, finish_reason_))) {
    finish_reason_ = chunk.finish_reason;
  }
  return {};
}

void ChatAnswer::take_text(std::string_view text) {
  if (thoughts_.is_open()) [[likely]]
    return speaker_.text(text);
  say(thoughts_.take(text));
}

void ChatAnswer::say(const std::vector<ThinkFilter::Piece>& pieces) {
  for (const auto& piece : pieces) {
    piece.is_thought ? take_reasoning_text(piece.text, "reasoning_content") : speaker_.text(piece.text);
  }
}

void ChatAnswer::take_reasoning(const ChatChunk& chunk) {
  // This server tells thoughts from text itself.
  if (!thoughts_.is_open()) say(thoughts_.open());
  if (!chunk.reasoning.empty()) take_reasoning_text(chunk.reasoning, chunk.reasoning_field);
  if (chunk.details_json.size() <= 2) return;
  if (chunk.reasoning.empty()) speaker_.reasoning(text_of_details(chunk.details_json));
  if (!chunk.details_json.starts_with('[')) return;
  std::string_view elements = chunk.details_json.substr(1, chunk.details_json.rfind(']') - 1);
  elements.remove_prefix(std::min(elements.find_first_not_of(" \t\r\n"), elements.size()));
  if (elements.empty()) return;
  if (!details_json_.empty()) keep(details_json_, ",");
  keep(details_json_, elements);
}

void ChatAnswer::take_reasoning_text(std::string_view text, std::string_view field) {
  if (settings_.returns_reasoning) {
    reasoning_field_ = field;
    keep(reasoning_, text);
  }
  speaker_.reasoning(text);
}

// By index where there is one, else an id that is new begins a new call. The same index with another id and a name is
// another call: some servers number all parallel calls 0. Without index and id, a name begins a call where it is
// another name, or where it stands in the same list behind a call: such servers send their calls whole.
ChatAnswer::Slot* ChatAnswer::find_slot(const ToolCallDelta& delta, bool is_first) {
  for (auto slot = slots_.rbegin(); slot != slots_.rend(); ++slot) {
    const bool has_other_id = !delta.id.empty() && !slot->id.empty() && delta.id != slot->id;
    if (delta.index) {
      if (slot->index != delta.index) continue;
      return has_other_id && !delta.name.empty() ? nullptr : &*slot;
    }
    if (has_other_id) return nullptr;
    const bool is_named_anew = delta.id.empty() && !delta.name.empty() && !slot->name.empty();
    return is_named_anew && (!is_first || delta.name != slot->name) ? nullptr : &*slot;
  }
  return nullptr;
}

Attempted ChatAnswer::take_call(const ToolCallDelta& delta, bool is_first) {
  if (!thoughts_.is_open()) say(thoughts_.open());
  Slot* slot = find_slot(delta, is_first);
  if (slot == nullptr) {
    if (slots_.size() >= kSlotsMax) return broken("The model made too many tool calls at once");
    slot = &slots_.emplace_back(Slot{delta.index});
  }
  if (slot->id.empty()) slot->id = delta.id;
  if (!delta.extra_json.empty()) slot->extra_json = delta.extra_json;
  // A name may come in pieces, or whole with every piece of the arguments. It is complete when these begin.
  if (!slot->is_begun && delta.name != slot->name) slot->name += delta.name;
  begin_named_calls(slot);
  if (slot->is_begun) {
    if (!delta.args.empty()) speaker_.tool_args(static_cast<unsigned>(slot - slots_.data()), delta.args);
    return {};
  }
  slot->args_unclaimed += delta.args;
  if (slot->args_unclaimed.size() > kUnclaimedBytesMax) return broken("The model called a tool without saying which");
  if (!slot->name.empty() && !slot->args_unclaimed.empty()) begin(*slot);
  return {};
}

void ChatAnswer::begin(Slot& slot) {
  slot.is_begun = true;
  const auto number = static_cast<unsigned>(&slot - slots_.data());
  speaker_.tool_call(number, slot.id, slot.name);
  if (!slot.args_unclaimed.empty()) speaker_.tool_args(number, std::exchange(slot.args_unclaimed, {}));
}

// Another call speaks, or the answer is over: what has a name has its whole name.
void ChatAnswer::begin_named_calls(const Slot* but) {
  for (auto& slot : slots_) {
    if (&slot != but && !slot.is_begun && !slot.name.empty()) begin(slot);
  }
}

tl::expected<ModelFinish, AttemptFailure> ChatAnswer::finish() {
  if (!thoughts_.is_open()) say(thoughts_.open());
  if (finish_reason_.empty()) {
    return tl::make_unexpected(
        AttemptFailure{{ErrorCode::kUpstreamTruncated, "The model's answer was cut off", {}}, true});
  }
  auto reason = unified_reason(finish_reason_, !slots_.empty());
  if (!reason) return broken("The model provider ended its answer with an error", true);
  begin_named_calls(nullptr);
  speaker_.flush();
  if (!std::ranges::all_of(slots_, &Slot::is_begun)) return broken("The model called a tool without saying which");
  const bool is_withheld = *reason == FinishReason::kContentFilter || *reason == FinishReason::kRefusal;
  // Its arguments may be incomplete although they parse; nobody knows what was left out.
  if (is_withheld && !slots_.empty()) return broken("The model provider withheld the rest of a tool call");
  if (has_refused_ && *reason == FinishReason::kStop) reason = FinishReason::kRefusal;
  ModelFinish finish;
  finish.reason = *reason;
  finish.raw_reason = std::move(finish_reason_);
  finish.response_id = std::move(response_id_);
  finish.usage = usage_;
  finish.opaque = opaque();
  return finish;
}

std::vector<std::string> ChatAnswer::opaque() const {
  std::vector<std::string> blobs;
  const auto add = [&](std::string_view kind, json::object data) {
    blobs.push_back(to_text(settings_.owner, {std::string(kind), std::move(data)}));
  };
  if (slots_.empty()) return blobs;  // nothing goes back but with calls
  if (!reasoning_.empty()) add(kReasoningBlob, {{"field", reasoning_field_}, {"text", reasoning_}});
  if (auto details = joined_details(details_json_); !details.empty()) {
    add(kReasoningDetailsBlob, {{"details", std::move(details)}});
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    auto extra = parse_json(slots_[i].extra_json);
    if (!extra || !extra->is_object()) continue;
    add(kCallExtraBlob, {{"call", slots_[i].id}, {"position", i}, {"extra_content", std::move(*extra)}});
  }
  return blobs;
}

}  // namespace braidlog::provider
