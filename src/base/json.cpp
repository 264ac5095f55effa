#include "base/json.h"

#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parser.hpp>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "base/utf8.h"

namespace braidlog {

namespace {

constexpr std::size_t kDepthMax = 32;

// Sees the document's structure before a value is made of it, to refuse duplicate keys, which Boost.JSON
// accepts.
class DocumentChecker {
 public:
  static constexpr std::size_t max_object_size = std::size_t(-1);
  static constexpr std::size_t max_array_size = std::size_t(-1);
  static constexpr std::size_t max_key_size = std::size_t(-1);
  static constexpr std::size_t max_string_size = std::size_t(-1);

  bool found() const { return found_; }
  bool found_infinite() const { return found_infinite_; }
  // Every double of the document, in its order, as near to what was written as a double can be.
  const std::vector<double>& doubles() const { return doubles_; }

  bool on_document_begin(boost::system::error_code&) { return true; }
  bool on_document_end(boost::system::error_code&) { return true; }
  bool on_array_begin(boost::system::error_code&) { return true; }
  bool on_array_end(std::size_t, boost::system::error_code&) { return true; }
  bool on_object_begin(boost::system::error_code&) {
    keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, boost::system::error_code&) {
    keys_.pop_back();
    return true;
  }
  bool on_string_part(json::string_view, std::size_t, boost::system::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, boost::system::error_code&) { return true; }
  bool on_key_part(json::string_view part, std::size_t, boost::system::error_code&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, std::size_t, boost::system::error_code&) {
    key_.append(part.data(), part.size());
    if (!keys_.back().insert(std::move(key_)).second) found_ = true;
    key_.clear();
    return true;
  }
  bool on_number_part(json::string_view part, boost::system::error_code&) {
    number_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t, json::string_view, boost::system::error_code&) {
    number_.clear();
    return true;
  }
  bool on_uint64(std::uint64_t, json::string_view, boost::system::error_code&) {
    number_.clear();
    return true;
  }
  bool on_double(double value, json::string_view part, boost::system::error_code&) {
    number_.append(part.data(), part.size());
    std::from_chars(number_.data(), number_.data() + number_.size(), value);  // out of range: keeps what it was
    number_.clear();
    found_infinite_ = found_infinite_ || !std::isfinite(value);
    doubles_.push_back(value);
    return true;
  }
  bool on_bool(bool, boost::system::error_code&) { return true; }
  bool on_null(boost::system::error_code&) { return true; }
  bool on_comment_part(json::string_view, boost::system::error_code&) { return true; }
  bool on_comment(json::string_view, boost::system::error_code&) { return true; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string key_, number_;
  std::vector<double> doubles_;
  bool found_ = false, found_infinite_ = false;
};

// Boost.JSON reads a double to the last digit but one; what we write must read back as what it was.
void set_doubles(json::value& value, const double*& next) {
  if (value.is_double()) value = *next++;
  if (auto* array = value.if_array()) {
    for (auto& item : *array) set_doubles(item, next);
  }
  if (auto* object = value.if_object()) {
    for (auto& member : *object) set_doubles(member.value(), next);
  }
}

void write_value(JsonWriter& w, const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: w.null(); return;
    case json::kind::bool_: w.boolean(value.get_bool()); return;
    case json::kind::int64: w.number(value.get_int64()); return;
    case json::kind::uint64: w.number(value.get_uint64()); return;
    case json::kind::double_: w.number(value.get_double()); return;
    case json::kind::string: w.string(value.get_string()); return;
    case json::kind::array:
      w.begin_array();
      for (const auto& item : value.get_array()) write_value(w, item);
      w.end_array();
      return;
    case json::kind::object:
      w.begin_object();
      for (const auto& member : value.get_object()) {
        w.key(member.key());
        write_value(w, member.value());
      }
      w.end_object();
      return;
  }
}

// How many bytes at the front of `rest` must be written as \uXXXX although they are legal in JSON; 0 for
// none.
std::size_t line_separator_length(std::string_view rest) {
  if (rest.starts_with("\xc2\x85")) return 2;
  if (rest.starts_with("\xe2\x80\xa8") || rest.starts_with("\xe2\x80\xa9")) return 3;
  return 0;
}

void append_escape(std::string& out, unsigned code) {
  static constexpr char kHex[] = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHex[code >> shift & 15];
}

void append_control(std::string& out, char c) {
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    default: append_escape(out, static_cast<unsigned char>(c)); break;
  }
}

// Bytes that cannot always stand in a string of ours as they are: control characters, quote and backslash, and the
// first bytes of the line separators.
constexpr auto kNeedsCare = [] {
  std::array<bool, 256> marks{};
  for (std::size_t c = 0; c < 0x20; ++c) marks[c] = true;
  for (const unsigned char c : {'"', '\\', '\xc2', '\xe2'}) marks[c] = true;
  return marks;
}();

// The text with its quotes in one piece, when it is short and all of it can be copied: so are most tokens.
bool append_short_string(std::string& out, std::string_view text) {
  std::array<char, 64> quoted;
  if (text.size() + 2 > quoted.size()) return false;
  bool needs_care = false;
  for (const char c : text) needs_care |= kNeedsCare[static_cast<unsigned char>(c)];
  if (needs_care) return false;
  quoted[0] = '"';
  text.copy(&quoted[1], text.size());
  quoted[text.size() + 1] = '"';
  out.append(quoted.data(), text.size() + 2);
  return true;
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  if (append_short_string(out, text)) return;
  out += '"';
  std::size_t start = 0;  // the run of bytes that can be copied as they are
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (!kNeedsCare[c]) {
      ++i;
      continue;
    }
    if (c == 0xc2 || c == 0xe2) {
      const std::size_t length = line_separator_length(text.substr(i));
      if (length == 0) {
        ++i;
        continue;
      }
      out.append(text, start, i - start);
      append_escape(out, length == 2 ? 0x85 : (text[i + 2] == '\xa8' ? 0x2028 : 0x2029));
      i += length;
    } else {
      out.append(text, start, i - start);
      append_control(out, text[i]);
      ++i;
    }
    start = i;
  }
  out.append(text, start, text.size() - start);
  out += '"';
}

void JsonWriter::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

template <class T>
JsonWriter& JsonWriter::digits(T value) {
  separate();
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  out_.append(text, static_cast<std::size_t>(end - text));
  return *this;
}

JsonWriter& JsonWriter::number(std::int64_t value) {
  return digits(value);
}
JsonWriter& JsonWriter::number(std::uint64_t value) {
  return digits(value);
}
JsonWriter& JsonWriter::number(double value) {
  if (value == 0 && std::signbit(value)) return raw("-0.0");  // "-0" would read back as an integer
  return std::isfinite(value) ? digits(value) : null();
}

JsonWriter& JsonWriter::boolean(bool value) {
  return raw(value ? "true" : "false");
}
JsonWriter& JsonWriter::null() {
  return raw("null");
}

JsonWriter& JsonWriter::raw(std::string_view text) {
  separate();
  out_ += text;
  return *this;
}

Result<json::value> parse_json(std::string_view text) {
  if (!is_valid_utf8(text)) return fail(ErrorCode::kMalformed, "The body is not valid UTF-8");
  json::parse_options options;
  options.max_depth = kDepthMax;
  boost::system::error_code error;
  json::parser parser({}, options);
  parser.write(text, error);
  if (error) return fail(ErrorCode::kMalformed, "The body is not valid JSON");
  json::basic_parser<DocumentChecker> checker(options);
  checker.write_some(false, text.data(), text.size(), error);
  if (error || checker.handler().found()) return fail(ErrorCode::kMalformed, "The body repeats a JSON key");
  if (checker.handler().found_infinite()) return fail(ErrorCode::kMalformed, "The body has a number that is too large");
  json::value value = parser.release();
  const double* next = checker.handler().doubles().data();
  set_doubles(value, next);
  return value;
}

std::string to_json(const json::value& value) {
  std::string out;
  JsonWriter writer(out);
  write_value(writer, value);
  return out;
}

}  // namespace braidlog
