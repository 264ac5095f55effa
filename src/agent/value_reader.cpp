#include "agent/value_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

#include "base/duration.h"
#include "wire/ip_address.h"

namespace braidlog::agent {

namespace {

constexpr std::size_t kVariableNameBytesMax = 64;
constexpr std::size_t kByteCountMax = 16 * 1024 * 1024;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string quoted(std::string_view what) {
  return "'" + std::string(what) + "'";
}

// RFC 9110, token.
bool is_header_name(std::string_view name) {
  static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !name.empty() && name.size() <= 100 && std::ranges::all_of(name, [](char c) {
    return is_letter_or_digit(c) || kMarks.find(c) != std::string_view::npos;
  });
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// What belongs to the connection and the body, and is written by the client that sends them.
bool is_header_of_ours(const std::string& lower_name) {
  static constexpr std::array<std::string_view, 11> kOurs{
      "host",    "content-length", "transfer-encoding",   "connection",          "keep-alive", "te", "trailer",
      "upgrade", "expect",         "proxy-authorization", "mcp-protocol-version"};
  return std::ranges::find(kOurs, lower_name) != kOurs.end();
}

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7f; });
}

// Every ${ has its end and holds the name of a variable; with an environment, the variable is set.
Status check_variables(const std::string& text, const Environment& environment) {
  bool is_name = true;
  std::string unfit;
  const auto look = [&](const std::string& name) -> std::optional<std::string> {
    is_name = is_variable_name(name);
    if (!is_name) return std::nullopt;
    if (!environment) return "x";
    auto value = environment(name);
    // A value with a line end would be a second header.
    if (value && has_control_character(*value)) unfit = name;
    return value;
  };
  auto expanded = expand_variables(text, look);
  // What cannot be a name is not repeated: it may be the secret itself.
  if (!is_name) return fail(ErrorCode::kBadField, "'${…}' must hold the name of an environment variable");
  if (!expanded) return fail(std::move(expanded.error()));
  if (unfit.empty()) return {};
  return fail(ErrorCode::kBadField,
              "the environment variable " + unfit + " holds a line end or another control character");
}

}  // namespace

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

bool is_tool_name(std::string_view name, std::size_t bytes_max) {
  return !name.empty() && name.size() <= bytes_max &&
         std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '_' || c == '-'; });
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.size() <= kVariableNameBytesMax && !(name[0] >= '0' && name[0] <= '9') &&
         std::ranges::all_of(name, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

std::optional<unsigned> whole_number(const YAML::Node& node) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  unsigned value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

std::optional<std::string> read_text(const YAML::Node& node, std::string_view what, Faults& faults) {
  if (node.IsScalar() && !node.Scalar().empty()) return node.Scalar();
  faults.add(node.Mark(), quoted(what) + " must be a text");
  return std::nullopt;
}

std::optional<bool> read_boolean(const YAML::Node& node, std::string_view what, Faults& faults) {
  const bool is_plain = node.IsScalar() && node.Tag() != "!";
  if (is_plain && node.Scalar() == "true") return true;
  if (is_plain && node.Scalar() == "false") return false;
  faults.add(node.Mark(), quoted(what) + " must be true or false");
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> read_duration(const YAML::Node& node, std::string_view what, Faults& faults) {
  const auto duration = node.IsScalar() ? parse_duration(node.Scalar()) : std::nullopt;
  if (!duration) faults.add(node.Mark(), quoted(what) + " must be a duration such as 500ms, 90s, 30m or 1h");
  return duration;
}

std::optional<std::chrono::milliseconds> read_timeout(const YAML::Node& node, std::string_view what, Faults& faults) {
  const auto timeout = read_duration(node, what, faults);
  if (!timeout || timeout->count() > 0) return timeout;
  faults.add(node.Mark(), quoted(what) + " must not be 0");
  return std::nullopt;
}

std::optional<std::size_t> read_byte_count(const YAML::Node& node, std::string_view what, Faults& faults) {
  static constexpr std::array<std::pair<std::string_view, std::size_t>, 6> kUnits{
      {{"", 1}, {"B", 1}, {"KB", 1000}, {"MB", 1'000'000}, {"KiB", 1024}, {"MiB", 1024 * 1024}}};
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  std::size_t count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
  const auto known = std::ranges::find(kUnits, unit, [](const auto& one) { return one.first; });
  const bool fits =
      parsed.ec == std::errc() && known != kUnits.end() && count >= 1 && count <= kByteCountMax / known->second;
  if (fits) return count * known->second;
  faults.add(node.Mark(), quoted(what) + " must be a size such as 4096, 500KB or 1MiB, at most 16MiB");
  return std::nullopt;
}

std::vector<std::string> read_texts(const YAML::Node& node, std::string_view what, Faults& faults) {
  std::vector<std::string> texts;
  if (!node.IsSequence()) {
    faults.add(node.Mark(), quoted(what) + " must be a list of texts");
    return texts;
  }
  for (const auto& item : node) {
    if (!item.IsScalar() || item.Scalar().empty()) {
      faults.add(item.Mark(), quoted(what) + " must be a list of texts");
    } else if (contains(texts, item.Scalar())) {
      faults.add(item.Mark(), quoted(what) + " has this twice");
    } else {
      texts.push_back(item.Scalar());
    }
  }
  return texts;
}

std::vector<std::string> read_networks(const YAML::Node& node, std::string_view what, Faults& faults) {
  auto texts = read_texts(node, what, faults);
  if (!node.IsSequence()) return texts;
  for (const auto& item : node) {
    if (!item.IsScalar() || item.Scalar().empty() || IpNetwork::parse(item.Scalar())) continue;
    faults.add(item.Mark(), quoted(what) + " must be addresses or networks such as 10.1.2.3 or 127.0.0.0/8");
  }
  return texts;
}

std::vector<std::string> read_variable_names(const YAML::Node& node, std::string_view what,
                                             const Environment& environment, Faults& faults) {
  auto texts = read_texts(node, what, faults);
  if (!node.IsSequence()) return texts;
  for (const auto& item : node) {
    if (!item.IsScalar() || item.Scalar().empty()) continue;
    if (!is_variable_name(item.Scalar())) {
      faults.add(item.Mark(), quoted(what) + " must be a list of names of environment variables");
    } else if (environment && !environment(item.Scalar())) {
      faults.add(item.Mark(), "the environment variable " + item.Scalar() + " is not set");
    }
  }
  return texts;
}

std::map<std::string, std::string> read_headers(const YAML::Node& node, const Environment& environment,
                                                Faults& faults) {
  std::map<std::string, std::string> headers;
  std::set<std::string> seen;
  YamlMap map(node, "'headers'", faults);
  for (const auto& [key, value] : map.take_rest()) {
    const std::string& name = key.Scalar();
    if (!is_header_name(name)) {
      faults.add(key.Mark(), "this cannot be the name of a header");
      continue;
    }
    if (is_header_of_ours(lower(name))) {
      faults.add(key.Mark(), "header '" + name + "' is set by the server itself");
    } else if (!seen.insert(lower(name)).second) {
      faults.add(key.Mark(), "header '" + name + "' is there twice");
    } else if (!value.IsScalar()) {
      faults.add(value.IsNull() ? key.Mark() : value.Mark(), "header '" + name + "' must be a text");
    } else if (has_control_character(value.Scalar())) {
      faults.add(value.Mark(), "header '" + name + "' must not hold a line end or another control character");
    } else if (auto known = check_variables(value.Scalar(), environment); !known) {
      faults.add(value.Mark(), "header '" + name + "': " + known.error().message);
    } else {
      headers.emplace(name, value.Scalar());
    }
  }
  return headers;
}

}  // namespace braidlog::agent
