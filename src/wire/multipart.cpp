#include "wire/multipart.h"

#include <utility>

#include "base/utf8.h"
#include "wire/http.h"

namespace braidlog {

namespace {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct ParameterizedValue {
  std::string value;  // what stands before the first ';'
  Parameters parameters;

  const std::string* find(std::string_view name) const {
    for (const auto& [key, text] : parameters) {
      if (equals_ignoring_case(key, name)) return &text;
    }
    return nullptr;
  }
};

bool is_token_char(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Takes a quoted string from the front. Only \" and \\ are escapes: browsers send other backslashes as they are.
std::optional<std::string> take_quoted(std::string_view& text) {
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return out;
    }
    if (text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\')) ++i;
    out += text[i];
  }
  return std::nullopt;
}

std::string take_token(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_token_char(text[end])) ++end;
  std::string out(text.substr(0, end));
  text.remove_prefix(end);
  return out;
}

// value *( OWS ";" OWS name "=" ( token / quoted ) ), each name once.
std::optional<ParameterizedValue> parse_parameterized(std::string_view text) {
  ParameterizedValue out;
  const auto semicolon = text.find(';');
  out.value = trim(text.substr(0, semicolon));
  text = semicolon == std::string_view::npos ? std::string_view{} : text.substr(semicolon);
  while (!text.empty()) {
    if (text.front() != ';') return std::nullopt;
    text = trim(text.substr(1));
    if (text.empty()) break;  // a trailing ';' is common and harmless
    std::string name = take_token(text);
    if (name.empty() || !text.starts_with('=') || out.find(name)) return std::nullopt;
    text.remove_prefix(1);
    if (text.starts_with('"')) {
      auto value = take_quoted(text);
      if (!value) return std::nullopt;
      out.parameters.emplace_back(std::move(name), std::move(*value));
    } else {
      std::string value = take_token(text);
      if (value.empty()) return std::nullopt;
      out.parameters.emplace_back(std::move(name), std::move(value));
    }
    text = trim(text);
  }
  return out;
}

bool is_label(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return is_valid_utf8(text);
}

// RFC 5987: UTF-8'language'percent-encoded.
std::optional<std::string> decode_extended(std::string_view text) {
  const auto charset_end = text.find('\'');
  if (charset_end == std::string_view::npos || !equals_ignoring_case(text.substr(0, charset_end), "utf-8")) {
    return std::nullopt;
  }
  const auto language_end = text.find('\'', charset_end + 1);
  if (language_end == std::string_view::npos) return std::nullopt;
  return percent_decode(text.substr(language_end + 1));
}

// RFC 2046: 1 to 70 of these, the last one no space.
bool is_boundary(std::string_view text) {
  if (text.empty() || text.size() > 70 || text.back() == ' ') return false;
  for (const char c : text) {
    const bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!alphanumeric && std::string_view("'()+_,-./:=? ").find(c) == std::string_view::npos) return false;
  }
  return true;
}

tl::unexpected<Error> malformed(const char* message) {
  return fail(ErrorCode::kMalformed, message);
}

Status take_disposition(MultipartPart& part, std::string_view text) {
  auto disposition = parse_parameterized(text);
  if (!disposition || !equals_ignoring_case(disposition->value, "form-data")) {
    return malformed("a part's Content-Disposition is not form-data");
  }
  const std::string* name = disposition->find("name");
  if (!name || !is_label(*name)) return malformed("a part has no name, or one that is not text");
  part.name = *name;
  if (const std::string* filename = disposition->find("filename")) part.filename = *filename;
  if (const std::string* extended = disposition->find("filename*")) {
    part.filename = decode_extended(*extended);
    if (!part.filename) return malformed("a part's file name is not UTF-8");
  }
  if (part.filename && !is_label(*part.filename)) return malformed("a part's file name is not text");
  return {};
}

Status take_header(MultipartPart& part, bool& has_disposition, std::string_view line) {
  const auto colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return malformed("a part has a header without a name");
  const auto name = line.substr(0, colon);
  for (const char c : name) {
    if (!is_token_char(c)) return malformed("a part has a broken header");  // white space of a folded line too
  }
  const auto value = trim(line.substr(colon + 1));
  for (const char c : value) {
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
      return malformed("a part has a broken header");
  }
  if (equals_ignoring_case(name, "content-disposition")) {
    if (std::exchange(has_disposition, true)) return malformed("a part has two Content-Dispositions");
    return take_disposition(part, value);
  }
  if (equals_ignoring_case(name, "content-type")) {
    if (!is_valid_utf8(value)) return malformed("a part's Content-Type is not text");
    part.content_type = value;
  } else if (equals_ignoring_case(name, "content-transfer-encoding")) {
    if (!equals_ignoring_case(value, "binary") && !equals_ignoring_case(value, "8bit") &&
        !equals_ignoring_case(value, "7bit")) {
      return malformed("a part has a transfer encoding");
    }
  }
  return {};
}

// Takes the headers and their blank line from the front of `rest`.
Result<MultipartPart> take_headers(std::string_view& rest) {
  MultipartPart part;
  bool has_disposition = false;
  std::size_t taken = 0;
  while (true) {
    const auto end = rest.substr(0, kPartHeaderBytesMax - taken + 2).find("\r\n");
    if (end == std::string_view::npos) return malformed("the headers of a part are too long or never end");
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    taken += end + 2;
    if (line.empty()) break;
    if (taken > kPartHeaderBytesMax) return malformed("the headers of a part are too long or never end");
    if (auto status = take_header(part, has_disposition, line); !status) return fail(status.error());
  }
  if (!has_disposition) return malformed("a part has no Content-Disposition");
  return part;
}

}  // namespace

Result<std::vector<MultipartPart>> parse_multipart(std::string_view content_type, std::string_view body,
                                                   std::size_t parts_max) {
  const auto type = parse_parameterized(content_type);
  if (!type || !equals_ignoring_case(type->value, "multipart/form-data")) {
    return malformed("the body is not multipart/form-data");
  }
  const std::string* boundary = type->find("boundary");
  if (!boundary || !is_boundary(*boundary)) return malformed("the multipart body has no boundary");

  const std::string delimiter = "\r\n--" + *boundary;
  std::string_view rest = body;
  if (rest.starts_with(delimiter)) rest.remove_prefix(2);
  const auto first = std::string_view(delimiter).substr(2);
  if (!rest.starts_with(first)) return malformed("the multipart body does not begin with its boundary");
  rest.remove_prefix(first.size());

  std::vector<MultipartPart> parts;
  while (!rest.starts_with("--")) {
    if (!rest.starts_with("\r\n")) return malformed("a boundary of the multipart body is broken");
    if (parts.size() == parts_max) return malformed("the multipart body has too many parts");
    rest.remove_prefix(2);
    auto part = take_headers(rest);
    if (!part) return fail(part.error());
    const auto end = rest.find(delimiter);
    if (end == std::string_view::npos) return malformed("the multipart body is never closed");
    part->content = rest.substr(0, end);
    rest.remove_prefix(end + delimiter.size());
    parts.push_back(std::move(*part));
  }
  rest.remove_prefix(2);
  if (!rest.empty() && rest != "\r\n") return malformed("bytes follow the end of the multipart body");
  return parts;
}

}  // namespace braidlog
