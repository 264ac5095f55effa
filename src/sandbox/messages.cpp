#include "sandbox/messages.h"

#include <cstdint>

#include "base/utf8.h"

namespace braidlog::sandbox {

namespace {

// A text of the object. False: it is there and is no text.
bool take_text(json::object& object, std::string_view key, std::optional<std::string>& out) {
  const auto* found = object.if_contains(key);
  if (!found) return true;
  const auto* text = found->if_string();
  if (text) out.emplace(text->begin(), text->end());
  return text != nullptr;
}

std::optional<RunnerMessage> call_of(json::object& object) {
  RunnerMessage message{.kind = RunnerMessage::Kind::kCall};
  std::optional<std::string> name;
  auto* args = object.if_contains("args");
  if (!take_text(object, "name", name) || !name || !args || !args->is_object()) return std::nullopt;
  message.name = std::move(*name);
  message.args = std::move(args->as_object());
  return message;
}

std::optional<RunnerMessage> end_of(json::object& object) {
  RunnerMessage message{.kind = RunnerMessage::Kind::kDone};
  if (!take_text(object, "value", message.value) || !take_text(object, "error", message.error)) return std::nullopt;
  if (auto* final = object.if_contains("final")) message.final = std::move(*final);
  message.leaving = object.contains("leaving");
  return message;
}

}  // namespace

std::optional<RunnerMessage> parse_message(std::string_view frame) {
  auto parsed = parse_json(frame);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  auto& object = parsed->as_object();
  std::optional<std::string> op;
  if (!take_text(object, "op", op) || !op) return std::nullopt;
  if (*op == "ready") return RunnerMessage{};
  if (*op == "call") return call_of(object);
  if (*op == "done") return end_of(object);
  return std::nullopt;
}

std::size_t frame_bytes_max(const Limits& limits) {
  // A value and an error, each of the size of an output, may grow sixfold when they are written as JSON.
  return 1024 * 1024 + 12 * limits.code_output_bytes_max;
}

std::optional<std::string> FrameReader::next() {
  if (broken_ || buffer_.size() < 4) return std::nullopt;
  std::size_t size = 0;
  for (int i = 3; i >= 0; --i) size = size << 8 | static_cast<std::uint8_t>(buffer_[static_cast<std::size_t>(i)]);
  if (size > frame_bytes_max_) {
    broken_ = true;
    return std::nullopt;
  }
  if (buffer_.size() < 4 + size) return std::nullopt;
  std::string frame = buffer_.substr(4, size);
  buffer_.erase(0, 4 + size);
  return frame;
}

std::string frame_of(std::string_view json) {
  std::string out;
  out.reserve(4 + json.size());
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(json.size() >> shift & 0xff);
  out += json;
  return out;
}

std::string hex_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const char byte : bytes) {
    out += kDigits[static_cast<std::uint8_t>(byte) >> 4];
    out += kDigits[static_cast<std::uint8_t>(byte) & 15];
  }
  return out;
}

std::string modules_frame(const std::vector<RunnerModule>& modules) {
  std::string json;
  JsonWriter w(json);
  w.begin_array();
  for (const auto& module : modules) {
    w.begin_array().string(module.name).string(module.source).end_array();
  }
  w.end_array();
  return frame_of(json);
}

std::string settings_frame(const Limits& limits, const LimitWords& words, std::string_view inner_filter) {
  std::string json;
  JsonWriter w(json);
  w.begin_object().key("words").begin_object();
  w.key("time").string(words.time).key("memory").string(words.memory).key("output").string(words.output);
  w.key("disk").string(words.disk).key("files").string(words.files).key("threads").string(words.threads);
  w.end_object();
  w.key("time_ms").number(limits.code_time_max.count());
  w.key("output_bytes").number(limits.code_output_bytes_max);
  w.key("frame_bytes").number(frame_bytes_max(limits));
  w.key("threads").number(limits.code_threads_max);
  w.key("filter").string(hex_of(inner_filter)).end_object();
  return frame_of(json);
}

std::string run_frame(std::string_view code, std::string_view functions_json) {
  std::string json;
  JsonWriter w(json);
  w.begin_object().key("op").string("run");
  if (!functions_json.empty()) w.key("functions").raw(functions_json);
  w.key("code").string(to_valid_utf8(code)).end_object();
  return frame_of(json);
}

std::string answer_frame(const CodeAnswer& answer) {
  std::string json;
  JsonWriter w(json);
  w.begin_object();
  if (answer.error) {
    w.key("error").string(to_valid_utf8(*answer.error));
  } else {
    w.key("value").raw(to_json(answer.value));
  }
  w.end_object();
  return frame_of(json);
}

std::string functions_as_json(const std::vector<CodeFunction>& functions) {
  std::string json;
  JsonWriter w(json);
  w.begin_array();
  for (const auto& function : functions) {
    w.begin_object().key("name").string(function.name).key("description").string(function.description);
    w.key("parameters").begin_array();
    const auto schema = parse_json(function.parameters_json);
    const auto* object = schema ? schema->if_object() : nullptr;
    const auto* properties = object ? object->if_contains("properties") : nullptr;
    if (properties && properties->is_object()) {
      for (const auto& property : properties->as_object()) w.string(property.key());
    }
    w.end_array().end_object();
  }
  w.end_array();
  return json;
}

}  // namespace braidlog::sandbox
