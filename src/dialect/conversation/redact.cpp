#include "dialect/conversation/redact.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include "base/json.h"
#include "dialect/wire_text.h"

namespace braidlog::conversation {

namespace {

constexpr std::size_t kDepthMax = 16;
constexpr std::string_view kRedacted = "\"[REDACTED]\"";
constexpr std::string_view kTooDeep = "\"[cut: nested too deep]\"";
constexpr std::string_view kUnreadable = "\"[not shown]\"";

constexpr std::array<std::string_view, 6> kWords{"key", "token", "secret", "password", "authorization", "cookie"};
// Names that are usually written as one word.
constexpr std::array<std::string_view, 11> kCompounds{"apikey",      "accesskey",   "privatekey",   "secretkey",
                                                      "authtoken",   "accesstoken", "refreshtoken", "setcookie",
                                                      "credentials", "passphrase",  "passwd"};

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
// Letters of other alphabets are letters; digits separate, so that `key1` is a key.
bool is_letter(char c) {
  return is_upper(c) || is_lower(c) || static_cast<unsigned char>(c) >= 0x80;
}

// A word ends before a hump: "accessToken", and "APIKey" before its last capital.
bool begins_hump(std::string_view name, std::size_t at) {
  if (!is_upper(name[at])) return false;
  return !is_upper(name[at - 1]) || (at + 1 < name.size() && is_lower(name[at + 1]));
}

// Takes the next word off the front of `name`, in lower case; empty when there is none left.
std::string take_word(std::string_view& name) {
  while (!name.empty() && !is_letter(name.front())) name.remove_prefix(1);
  std::string word;
  while (!name.empty() && is_letter(name[word.size()]) && (word.empty() || !begins_hump(name, word.size()))) {
    const char c = name[word.size()];
    word += is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c;
    if (word.size() == name.size()) break;
  }
  name.remove_prefix(word.size());
  return word;
}

// Writes a JSON value and remembers whether anything in it had to be hidden.
class SafeWriter {
 public:
  SafeWriter(std::string& out, std::size_t bytes_max) : out_(out), begin_(out.size()), bytes_max_(bytes_max) {}

  bool has_redacted() const { return has_redacted_; }

  void value(const json::value& value, std::size_t depth) {
    if (value.is_string()) return text(value.get_string(), depth);
    if (!value.is_structured()) {
      out_ += to_json(value);
    } else if (depth >= kDepthMax) {
      out_ += kTooDeep;
    } else {
      value.is_array() ? array(value.get_array(), depth) : object(value.get_object(), depth);
    }
  }

  void text(std::string_view text, std::size_t depth) {
    const auto first = text.find_first_not_of(" \t\r\n");
    const bool may_be_document = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
    if (may_be_document && depth < kDepthMax) {
      if (const auto document = parse_json(text)) {
        std::string safe;
        SafeWriter inner(safe, bytes_max_);
        inner.value(*document, depth + 1);
        if (inner.has_redacted()) {
          has_redacted_ = true;
          return append_cut_json_string(out_, safe, bytes_max_);
        }
      }
    }
    append_cut_json_string(out_, text, bytes_max_);
  }

 private:
  bool is_full() const { return out_.size() - begin_ >= bytes_max_; }

  void array(const json::array& items, std::size_t depth) {
    out_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i != 0) out_ += ',';
      if (is_full()) {
        out_ += "\"\u2026 [cut: " + std::to_string(items.size() - i) + " items]\"";
        break;
      }
      value(items[i], depth + 1);
    }
    out_ += ']';
  }

  void object(const json::object& fields, std::size_t depth) {
    out_ += '{';
    std::size_t written = 0;
    for (const auto& field : fields) {
      if (written != 0) out_ += ',';
      if (is_full()) {
        out_ += "\"\u2026\":\"[cut: " + std::to_string(fields.size() - written) + " fields]\"";
        break;
      }
      append_cut_json_string(out_, field.key(), bytes_max_);
      out_ += ':';
      hides(field.key(), field.value()) ? redact() : value(field.value(), depth + 1);
      ++written;
    }
    out_ += '}';
  }

  static bool hides(std::string_view name, const json::value& value) {
    if (value.is_null() || value.is_bool()) return false;
    const SecretName secret = secret_name(name);
    return secret == SecretName::kOne || (secret == SecretName::kCount && !value.is_number());
  }

  void redact() {
    out_ += kRedacted;
    has_redacted_ = true;
  }

  std::string& out_;
  std::size_t begin_;
  std::size_t bytes_max_;
  bool has_redacted_ = false;
};

}  // namespace

SecretName secret_name(std::string_view name) {
  bool is_secret = false, counts = false;
  while (true) {
    const std::string word = take_word(name);
    if (word.empty()) break;
    const auto is_plural_of = [&](std::string_view one) {
      return word.size() == one.size() + 1 && word.starts_with(one) && word.ends_with('s');
    };
    const bool plural = std::ranges::any_of(kWords, is_plural_of);
    is_secret =
        is_secret || plural || std::ranges::count(kWords, word) != 0 || std::ranges::count(kCompounds, word) != 0;
    counts = counts || plural || word == "count";
  }
  if (!is_secret) return SecretName::kNone;
  return counts ? SecretName::kCount : SecretName::kOne;
}

void append_safe_json(std::string& out, std::string_view document, std::size_t bytes_max) {
  const auto value = parse_json(document);
  if (!value) {
    out += kUnreadable;
    return;
  }
  SafeWriter(out, bytes_max).value(*value, 0);
}

void append_safe_text(std::string& out, std::string_view text, std::size_t bytes_max) {
  SafeWriter(out, bytes_max).text(text, 0);
}

}  // namespace braidlog::conversation
