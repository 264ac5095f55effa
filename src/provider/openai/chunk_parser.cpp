#include "provider/openai/chunk_parser.h"

#include "provider/json_fields.h"

namespace braidlog::provider {

void ChatChunk::clear() {
  id = text = refusal = reasoning = reasoning_field = details_json = finish_reason = {};
  calls.clear();
  usage.reset();
  has_choices = is_error = false;
  error_status = 0;
  text_at = 0;
}

bool ChatChunk::is_only_text() const {
  return has_choices && text_at != 0 && !is_error && !usage && calls.empty() && refusal.empty() && reasoning.empty() &&
         details_json.empty() && finish_reason.empty();
}

namespace {

error_code take_count(od::value value, std::uint64_t& out) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::number) return SUCCESS;
  if (value.get_uint64().get(out) != SUCCESS) out = 0;  // a fraction or a negative number counts nothing
  return SUCCESS;
}

error_code take_call(od::value value, ToolCallDelta& call) {
  return each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "index") {
      std::uint64_t index = 0;
      if (field.get_uint64().get(index) == SUCCESS) call.index = index;
    } else if (key == "id") {
      return take_string(field, call.id);
    } else if (key == "function") {
      return each_field(field, [&](od::raw_json_string inner, od::value part) -> error_code {
        if (inner == "name") return take_string(part, call.name);
        if (inner == "arguments") return take_json(part, call.args);
        return SUCCESS;
      });
    } else if (key == "extra_content") {
      return take_json(field, call.extra_json);
    }
    return SUCCESS;
  });
}

error_code take_calls(od::value value, std::vector<ToolCallDelta>& calls) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::array) return SUCCESS;
  for (auto item : value.get_array()) {
    od::value call;
    if (auto error = item.get(call)) return error;
    if (auto error = take_call(call, calls.emplace_back())) return error;
  }
  return SUCCESS;
}

// Two names for one thing. A server that sends both sends the same text in them, or nothing in one.
error_code take_reasoning(od::value value, std::string_view name, ChatChunk& chunk) {
  std::string_view text;
  if (auto error = take_string(value, text)) return error;
  if (text.empty()) return SUCCESS;
  chunk.reasoning = text;
  chunk.reasoning_field = name;
  return SUCCESS;
}

error_code take_delta(od::value value, ChatChunk& chunk, const char*& text_at) {
  return each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "content") return take_placed_string(field, chunk.text, text_at);
    if (key == "tool_calls") return take_calls(field, chunk.calls);
    if (key == "reasoning_content") return take_reasoning(field, "reasoning_content", chunk);
    if (key == "reasoning") return take_reasoning(field, "reasoning", chunk);
    if (key == "reasoning_details") return take_json(field, chunk.details_json);
    if (key == "refusal") return take_string(field, chunk.refusal);
    return SUCCESS;
  });
}

// There is one choice, since only one is asked for.
error_code take_choices(od::value value, ChatChunk& chunk, const char*& text_at) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::array) return SUCCESS;
  for (auto item : value.get_array()) {
    od::value choice;
    if (auto error = item.get(choice)) return error;
    const auto error = each_field(choice, [&](od::raw_json_string key, od::value field) -> error_code {
      if (key == "delta") return take_delta(field, chunk, text_at);
      if (key == "finish_reason") return take_string(field, chunk.finish_reason);
      return SUCCESS;
    });
    if (error) return error;
  }
  return SUCCESS;
}

error_code take_usage(od::value value, std::optional<Usage>& usage) {
  Usage counts;
  bool is_there = false;
  const auto error = each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    const bool is_input = key == "prompt_tokens";
    if (is_input || key == "completion_tokens") {
      od::json_type type;
      if (auto type_error = field.type().get(type)) return type_error;
      is_there = is_there || type == od::json_type::number;
      return take_count(field, is_input ? counts.input_tokens : counts.output_tokens);
    }
    const bool of_prompt = key == "prompt_tokens_details";
    if (!of_prompt && !(key == "completion_tokens_details")) return SUCCESS;
    return each_field(field, [&](od::raw_json_string inner, od::value count) -> error_code {
      if (of_prompt && inner == "cached_tokens") return take_count(count, counts.cached_input_tokens);
      if (!of_prompt && inner == "reasoning_tokens") return take_count(count, counts.reasoning_tokens);
      return SUCCESS;
    });
  });
  if (!error && is_there) usage = counts;
  return error;
}

error_code take_chunk(od::value root, ChatChunk& chunk, const char*& text_at) {
  return each_field(root, [&](od::raw_json_string key, od::value field) -> error_code {
    // Most keys of a chunk are of no interest; their first letter tells that at once.
    const char first = key.raw()[0];
    if (first != 'c' && first != 'u' && first != 'i' && first != 'e') return SUCCESS;
    if (key == "choices") {
      chunk.has_choices = true;
      return take_choices(field, chunk, text_at);
    }
    if (key == "usage") return take_usage(field, chunk.usage);
    if (key == "id") return take_string(field, chunk.id);
    if (key == "error") return take_error(field, chunk.is_error, chunk.error_status);
    return SUCCESS;
  });
}

// An error as older servers write it: {"object":"error","message":…,"code":…}. Looked for only in what is no chunk, so
// that no token pays for it.
error_code take_bare_error(od::value root, ChatChunk& chunk) {
  return each_field(root, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "code") return take_error_status(field, chunk.error_status);
    if (!(key == "object") && !(key == "type")) return SUCCESS;
    std::string_view word;
    if (auto error = take_string(field, word)) return error;
    chunk.is_error = chunk.is_error || word == "error";
    return SUCCESS;
  });
}

}  // namespace

struct ChunkParser::Impl {
  bool parse(std::string_view json);

  PaddedParser parser;
  ChatChunk chunk;
};

bool ChunkParser::Impl::parse(std::string_view json) {
  chunk.clear();
  od::document document;
  od::value root;
  if (!parser.begin(json, document)) return false;
  const char* text_at = nullptr;
  if (document.get_value().get(root) || take_chunk(root, chunk, text_at)) return false;
  chunk.text_at = parser.place_of(text_at);
  if (chunk.has_choices || chunk.is_error) return true;
  document.rewind();  // what was read is gone with this, but for the numbers
  chunk.id = {};
  return !document.get_value().get(root) && !take_bare_error(root, chunk);
}

ChunkParser::ChunkParser() : impl_(std::make_unique<Impl>()) {}
ChunkParser::~ChunkParser() = default;

const ChatChunk* ChunkParser::parse(std::string_view json, HalfCharacter& half) {
  if (impl_->parse(json)) [[likely]]
    return &impl_->chunk;
  const auto repaired = without_lone_surrogates(json, half);
  if (!repaired || !impl_->parse(*repaired)) return nullptr;
  impl_->chunk.text_at = 0;
  return &impl_->chunk;
}

}  // namespace braidlog::provider
