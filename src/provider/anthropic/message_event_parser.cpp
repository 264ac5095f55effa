#include "provider/anthropic/message_event_parser.h"

#include "provider/json_fields.h"

namespace braidlog::provider {

namespace {

error_code take_count(od::value value, std::optional<std::uint64_t>& out) {
  od::json_type type;
  if (auto error = value.type().get(type)) return error;
  if (type != od::json_type::number) return SUCCESS;
  std::uint64_t count = 0;
  if (value.get_uint64().get(count) == SUCCESS) out = count;  // a fraction or a negative number counts nothing
  return SUCCESS;
}

error_code take_counts(od::value value, MessageCounts& counts) {
  return each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "input_tokens") return take_count(field, counts.input);
    if (key == "output_tokens") return take_count(field, counts.output);
    if (key == "cache_read_input_tokens") return take_count(field, counts.cache_read);
    if (key == "cache_creation_input_tokens") return take_count(field, counts.cache_write);
    return SUCCESS;
  });
}

error_code take_delta(od::value value, MessageEvent& event, const char*& text_at) {
  return each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "text") return take_placed_string(field, event.text, text_at);
    if (key == "partial_json") return take_json(field, event.partial_json);
    if (key == "thinking") return take_string(field, event.thinking);
    if (key == "signature") return take_string(field, event.signature);
    if (key == "stop_reason") return take_string(field, event.stop_reason);
    return SUCCESS;
  });
}

error_code take_message(od::value value, MessageEvent& event) {
  return each_field(value, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "id") return take_string(field, event.message_id);
    if (key == "usage") return take_counts(field, event.counts);
    return SUCCESS;
  });
}

error_code take_event(od::value root, MessageEvent& event, const char*& text_at) {
  return each_field(root, [&](od::raw_json_string key, od::value field) -> error_code {
    if (key == "type") return take_string(field, event.type);
    if (key == "index") {
      std::uint64_t index = 0;
      if (field.get_uint64().get(index) == SUCCESS) event.index = index;
      return SUCCESS;
    }
    if (key == "delta") return take_delta(field, event, text_at);
    if (key == "content_block") return take_json(field, event.block_json);
    if (key == "message") return take_message(field, event);
    if (key == "usage") return take_counts(field, event.counts);
    if (key == "error") return take_error(field, event.is_error, event.error_status);
    return SUCCESS;
  });
}

}  // namespace

bool MessageEvent::is_only_text() const {
  return type == "content_block_delta" && text_at != 0 && !is_error && partial_json.empty() && thinking.empty() &&
         signature.empty();
}

struct MessageEventParser::Impl {
  bool parse(std::string_view json) {
    event = {};
    od::document document;
    od::value root;
    const char* text_at = nullptr;
    if (!parser.begin(json, document) || document.get_value().get(root) || take_event(root, event, text_at))
      return false;
    event.text_at = parser.place_of(text_at);
    return true;
  }

  PaddedParser parser;
  MessageEvent event;
};

MessageEventParser::MessageEventParser() : impl_(std::make_unique<Impl>()) {}
MessageEventParser::~MessageEventParser() = default;

const MessageEvent* MessageEventParser::parse(std::string_view json, HalfCharacter& half) {
  if (impl_->parse(json)) [[likely]]
    return &impl_->event;
  const auto repaired = without_lone_surrogates(json, half);
  if (!repaired || !impl_->parse(*repaired)) return nullptr;
  impl_->event.text_at = 0;
  return &impl_->event;
}

}  // namespace braidlog::provider
