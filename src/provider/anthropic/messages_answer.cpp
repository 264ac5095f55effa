#include "provider/anthropic/messages_answer.h"

#include <utility>

#include "provider/anthropic/messages_request.h"
#include "provider/provider_errors.h"

namespace braidlog::provider {

namespace {

constexpr unsigned kCallsMax = 256;
constexpr std::size_t kOpenBlocksMax = 1'024;

tl::unexpected<AttemptFailure> broken(const char* message, bool may_retry = false) {
  return tl::make_unexpected(AttemptFailure{{ErrorCode::kProvider, message, {}}, may_retry});
}

// None: the answer failed.
std::optional<FinishReason> unified(std::string_view word, bool has_calls) {
  if (word == "abort" || word == "error") return std::nullopt;
  if (word == "max_tokens" || word == "model_context_window_exceeded" || word == "length") return FinishReason::kLength;
  if (word == "refusal") return FinishReason::kRefusal;
  if (word == "content_filter") return FinishReason::kContentFilter;
  return has_calls ? FinishReason::kToolCalls : FinishReason::kStop;
}

void overwrite(std::optional<std::uint64_t>& counter, const std::optional<std::uint64_t>& with) {
  if (with) counter = with;
}

}  // namespace

Attempted MessagesAnswer::take(const MessageEvent& event) {
  if (event.is_error || event.type == "error") return tl::make_unexpected(failure_in_stream(event.error_status));
  if (event.type == "content_block_delta") return take_delta(event);
  if (event.type == "content_block_start") return begin_block(event);
  if (event.type == "content_block_stop") {
    end_block(event.index.value_or(last_index_));
  } else if (event.type == "message_start") {
    if (response_id_.empty()) response_id_ = event.message_id;
    take_counts(event.counts);
  } else if (event.type == "message_delta") {
    // Of two the one that says that something is missing.
    const bool is_cut = unified(stop_reason_, false).value_or(FinishReason::kError) != FinishReason::kStop;
    if (!event.stop_reason.empty() && (stop_reason_.empty() || !is_cut)) stop_reason_ = event.stop_reason;
    take_counts(event.counts);
  }
  return {};  // a ping, message_stop, or one that is not known
}

Attempted MessagesAnswer::begin_block(const MessageEvent& event) {
  const std::uint64_t index = event.index.value_or(blocks_.empty() ? 0 : last_index_ + 1);
  end_block(index);  // of a server that counts them all alike
  if (blocks_.size() >= kOpenBlocksMax) return broken("The model provider sent too many blocks at once");
  auto parsed = parse_json(event.block_json);
  Block block;
  if (parsed && parsed->is_object()) block.start = std::move(parsed->get_object());
  block.text_before = text_.size();
  block.calls_before = calls_;
  last_index_ = index;
  Block& begun = blocks_[index] = std::move(block);
  const auto type = string_in(begun.start, "type");
  if (type == "tool_use") return begin_call(begun);
  if (type == "text") {
    begun.kind = Kind::kText;
    say_text(string_in(begun.start, "text"));
  } else if (type == "thinking") {
    speaker_.reasoning(string_in(begun.start, "thinking"));
  }
  return {};
}

Attempted MessagesAnswer::begin_call(Block& block) {
  const auto name = string_in(block.start, "name");
  if (name.empty()) return broken("The model called a tool without saying which");
  if (calls_ >= kCallsMax) return broken("The model made too many tool calls at once");
  block.kind = Kind::kCall;
  block.slot = calls_++;
  speaker_.tool_call(block.slot, string_in(block.start, "id"), name);
  return {};
}

Attempted MessagesAnswer::take_delta(const MessageEvent& event) {
  const auto found = blocks_.find(event.index.value_or(last_index_));
  if (found == blocks_.end()) {
    // A block that nobody began: text is text all the same.
    if (!event.partial_json.empty()) return broken("The model called a tool without saying which");
    say_text(event.text);
    speaker_.reasoning(event.thinking);
    return {};
  }
  Block& block = found->second;
  if (block.kind == Kind::kOther) {
    take_other_delta(block, event);
  } else {
    say_text(event.text);
    speaker_.reasoning(event.thinking);
  }
  if (block.kind == Kind::kCall && !event.partial_json.empty()) {
    block.has_args = true;
    speaker_.tool_args(block.slot, event.partial_json);
  }
  return {};
}

void MessagesAnswer::take_other_delta(Block& block, const MessageEvent& event) {
  if (kept_bytes_ > kOpaqueBytesMax) {
    speaker_.reasoning(event.thinking);
    return;
  }
  kept_bytes_ += event.thinking.size() + event.text.size() + event.partial_json.size() + event.signature.size();
  block.text.append(event.thinking).append(event.text);
  block.partial_json += event.partial_json;
  if (!event.signature.empty()) block.start["signature"] = event.signature;
  speaker_.reasoning(event.thinking);
}

void MessagesAnswer::say_text(std::string_view text) {
  text_ += text;
  speaker_.text(text);
}

void MessagesAnswer::end_block(std::uint64_t index) {
  const auto found = blocks_.find(index);
  if (found == blocks_.end()) return;
  Block block = std::move(found->second);
  blocks_.erase(found);
  if (block.kind == Kind::kOther) keep(std::move(block));
  if (block.kind != Kind::kCall || block.has_args) return;
  // Some servers give the arguments whole, with the beginning of the call.
  const auto* input = block.start.if_contains("input");
  if (input != nullptr && input->is_object() && !input->get_object().empty()) {
    speaker_.tool_args(block.slot, to_json(*input));
  }
}

void MessagesAnswer::end_all_blocks() {
  while (!blocks_.empty()) end_block(blocks_.begin()->first);
}

// The block as it is to be sent back: what its deltas brought stands in it.
void MessagesAnswer::keep(Block block) {
  if (kept_bytes_ > kOpaqueBytesMax) return;
  const auto type = string_in(block.start, "type");
  if (type.empty()) return;
  const bool is_thought = type == "thinking";
  const char* text_key = is_thought ? "thinking" : "text";
  if (!block.text.empty()) {
    const std::string whole = std::string(string_in(block.start, text_key)) + block.text;
    block.start[text_key] = whole;
  }
  // A thought that was cut before its signature is refused.
  if (is_thought && string_in(block.start, "signature").empty()) return;
  if (!block.partial_json.empty()) {
    auto input = parse_json(block.partial_json);
    if (!input) return;
    block.start["input"] = std::move(*input);
  }
  json::object data;
  data["text_before"] = block.text_before;
  data["calls_before"] = block.calls_before;
  data["block"] = std::move(block.start);
  opaque_.push_back(to_text(owner_, {std::string(kBlockBlob), std::move(data)}));
  kept_bytes_ += opaque_.back().size();
}

// Each is the total so far: the last one counts.
void MessagesAnswer::take_counts(const MessageCounts& counts) {
  overwrite(counts_.input, counts.input);
  overwrite(counts_.output, counts.output);
  overwrite(counts_.cache_read, counts.cache_read);
  overwrite(counts_.cache_write, counts.cache_write);
}

// Anthropic counts what came from the cache apart; here it is part of what was read.
void MessagesAnswer::close_stream() {
  end_all_blocks();
  speaker_.flush();
  const MessageCounts counts = std::exchange(counts_, {});
  if (!counts.input || !counts.output) return;  // half of it is no report
  Usage usage;
  usage.cached_input_tokens = counts.cache_read.value_or(0);
  usage.cache_write_tokens = counts.cache_write.value_or(0);
  usage.input_tokens = *counts.input + usage.cached_input_tokens + usage.cache_write_tokens;
  usage.output_tokens = *counts.output;
  usage_ = usage_.value_or(Usage{}) += usage;
}

ModelMessage MessagesAnswer::resume() {
  close_stream();
  stop_reason_.clear();
  return {.role = ModelMessage::Role::kAssistant, .text = text_, .opaque = opaque_};
}

tl::expected<ModelFinish, AttemptFailure> MessagesAnswer::finish() {
  if (stop_reason_.empty()) {
    return tl::make_unexpected(
        AttemptFailure{{ErrorCode::kUpstreamTruncated, "The model's answer was cut off", {}}, true});
  }
  const auto reason = unified(stop_reason_, calls_ > 0);
  if (!reason) return broken("The model provider ended its answer with an error", true);
  if (is_paused()) return broken("The model's answer paused too often");
  close_stream();
  const bool is_withheld = *reason == FinishReason::kContentFilter || *reason == FinishReason::kRefusal;
  // Its arguments may be incomplete although they parse; nobody knows what was left out.
  if (is_withheld && calls_ > 0) return broken("The model provider withheld the rest of a tool call");
  ModelFinish finish;
  finish.reason = *reason;
  finish.raw_reason = std::move(stop_reason_);
  finish.response_id = std::move(response_id_);
  finish.usage = usage_;
  if (calls_ > 0) finish.opaque = std::move(opaque_);  // thoughts go back within a loop of tool calls
  return finish;
}

}  // namespace braidlog::provider
