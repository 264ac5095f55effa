// simdjson's on-demand interface reads a document front to back and once. So each object is walked field by field, in
// the order in which the server wrote it, and every value is either taken or left alone.
#include "provider/openai/chunk_parser.h"

#include <simdjson.h>

#include <string>

namespace braidlog::provider {

namespace od = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

void ChatChunk::clear() {
  id = text = reasoning = finish_reason = {};
  calls.clear();
  usage.reset();
  is_error = false;
}

namespace {

// Calls `take(key, value)` for each field of an object. Anything but an object, null above all, counts as an empty one:
// servers send null for what they leave out.
template <class Take>
error_code each_field(od::value value, Take&& take) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::object) return SUCCESS;
  od::object object;
  if (auto error = value.get_object().get(object)) return error;
  for (auto field : object) {
    od::raw_json_string key;
    if (auto error = field.key().get(key)) return error;
    if (auto error = take(key, field.value().value_unsafe())) return error;
  }
  return SUCCESS;
}

// A string; empty for null and for anything else.
error_code take_string(od::value value, std::string_view& out) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::string) return SUCCESS;
  return value.get_string().get(out);
}

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
        if (inner == "arguments") return take_string(part, call.args);
        return SUCCESS;
      });
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

error_code take_delta(od::value value, ChatChunk& chunk) {
  return each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "content") return take_string(field, chunk.text);
    if (key == "tool_calls") return take_calls(field, chunk.calls);
    // Two names for one thing; a server that sends both sends the same text in them.
    if (key == "reasoning_content" || key == "reasoning") return take_string(field, chunk.reasoning);
    return SUCCESS;
  });
}

// There is one choice, since only one is asked for.
error_code take_choices(od::value value, ChatChunk& chunk) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::array) return SUCCESS;
  for (auto item : value.get_array()) {
    od::value choice;
    if (auto error = item.get(choice)) return error;
    const auto error = each_field(choice, [&](od::raw_json_string key, od::value field) -> error_code {
      if (key == "delta") return take_delta(field, chunk);
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
    is_there = true;
    if (key == "prompt_tokens") return take_count(field, counts.input_tokens);
    if (key == "completion_tokens") return take_count(field, counts.output_tokens);
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

error_code take_chunk(od::value root, ChatChunk& chunk) {
  return each_field(root, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "choices") return take_choices(field, chunk);
    if (key == "usage") return take_usage(field, chunk.usage);
    if (key == "id") return take_string(field, chunk.id);
    if (key == "error") {
      od::json_type type;
      if (auto error = field.type().get(type)) return error;
      chunk.is_error = type != od::json_type::null;
    }
    return SUCCESS;
  });
}

}  // namespace

struct ChunkParser::Impl {
  od::parser parser;
  std::string padded;  // simdjson reads a little beyond the end of what it is given
  ChatChunk chunk;
};

ChunkParser::ChunkParser() : impl_(std::make_unique<Impl>()) {}
ChunkParser::~ChunkParser() = default;

const ChatChunk* ChunkParser::parse(std::string_view json) {
  ChatChunk& chunk = impl_->chunk;
  chunk.clear();
  const std::size_t needed = json.size() + simdjson::SIMDJSON_PADDING;
  if (impl_->padded.size() < needed) impl_->padded.resize(needed);
  json.copy(impl_->padded.data(), json.size());

  od::document document;
  if (impl_->parser.iterate(impl_->padded.data(), json.size(), impl_->padded.size()).get(document)) return nullptr;
  od::value root;
  od::json_type type;
  if (document.type().get(type) || type != od::json_type::object) return nullptr;
  if (document.get_value().get(root) || take_chunk(root, chunk)) return nullptr;
  return &chunk;
}

}  // namespace braidlog::provider
