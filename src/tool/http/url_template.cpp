#include "tool/http/url_template.h"

#include <algorithm>
#include <optional>

#include "net/web_url.h"
#include "wire/http.h"

namespace braidlog::tool {

namespace {

tl::unexpected<Error> bad_url(std::string message) {
  return fail(ErrorCode::kBadField, std::move(message));
}
tl::unexpected<Error> bad_argument(const std::string& name, const std::string& what) {
  return fail(ErrorCode::kToolInvalidArguments, name + ": " + what);
}

// Where the path begins: after scheme and host.
std::optional<std::size_t> path_of(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!url.starts_with(scheme)) continue;
    return std::min(url.find_first_of("/?#", scheme.size()), url.size());
  }
  return std::nullopt;
}

bool is_dots(std::string_view segment) {
  return segment == "." || segment == "..";
}

// Whether a part of the path between two slashes, as servers may decode it, is a step to another folder.
bool has_dot_segment(std::string_view path) {
  path = path.substr(0, path.find('?'));
  while (!path.empty()) {
    const auto end = path.find('/');
    const auto segment = path.substr(0, end);
    if (is_dots(percent_decode(segment).value_or(std::string(segment)))) return true;
    path = end == std::string_view::npos ? std::string_view{} : path.substr(end + 1);
  }
  return false;
}

// A slash in a value leaves encoded, but there are servers that decode first and walk the path then.
bool steps_upwards(std::string_view value) {
  while (true) {
    const auto end = value.find_first_of("/\\");
    if (is_dots(value.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    value.remove_prefix(end + 1);
  }
}

}  // namespace

Result<UrlTemplate> UrlTemplate::parse(std::string_view text) {
  const auto path_begin = path_of(text);
  if (!path_begin) return bad_url("must begin with http:// or https://");
  if (text.substr(0, *path_begin).find_first_of("{}") != std::string_view::npos) {
    return bad_url("an argument cannot stand in the scheme, the host or the port");
  }
  if (text.find('#') != std::string_view::npos) return bad_url("must not have a fragment (#…)");
  UrlTemplate out;
  out.path_begin_ = *path_begin;
  if (auto split = out.split(text, *path_begin); !split) return fail(split.error());

  std::string sample;
  for (const auto& piece : out.pieces_) sample += piece.is_argument ? "x" : piece.text;
  const bool is_plain = std::ranges::all_of(sample, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '\\'; });
  if (!is_plain) return bad_url("must be written in ASCII, without spaces; %XX stands for other characters");
  const auto url = WebUrl::parse(sample);
  if (!url) return bad_url(url.error().message);
  // libcurl looks for a missing host further on: what it takes for the host must be all in front of the path.
  const auto origin = WebUrl::parse(sample.substr(0, *path_begin));
  if (!origin || origin->host() != url->host()) return bad_url("has no host");
  if (has_dot_segment(std::string_view(sample).substr(*path_begin)))
    return bad_url("must not have . or .. in its path");
  out.host_ = url->host();
  return out;
}

Status UrlTemplate::split(std::string_view text, std::size_t path_begin) {
  pieces_.push_back({std::string(text.substr(0, path_begin))});
  text.remove_prefix(path_begin);
  while (!text.empty()) {
    const auto brace = text.find_first_of("{}");
    const std::string literal(text.substr(0, brace));
    has_query_ |= literal.find('?') != std::string::npos;
    pieces_.push_back({literal});
    if (brace == std::string_view::npos) break;
    const auto end = text.find('}', brace);
    if (text[brace] == '}' || end == std::string_view::npos) return bad_url("has a { or } without its other half");
    Piece argument{std::string(text.substr(brace + 1, end - brace - 1)), true, !has_query_};
    if (argument.text.empty() || argument.text.find('{') != std::string::npos) {
      return bad_url("{…} must hold the name of an argument");
    }
    if (std::ranges::find(names_, argument.text) == names_.end()) names_.push_back(argument.text);
    pieces_.push_back(std::move(argument));
    text.remove_prefix(end + 1);
  }
  return {};
}

Result<std::string> UrlTemplate::value_of(const Piece& piece, const json::object& args) const {
  const auto* value = args.if_contains(piece.text);
  if (value == nullptr || value->is_null()) return bad_argument(piece.text, "is needed for the address of this tool");
  if (value->is_object() || value->is_array()) {
    return bad_argument(piece.text, "cannot be a list or an object: it stands in the address of this tool");
  }
  std::string text = value->is_string() ? std::string(value->get_string()) : to_json(*value);
  if (text.find('\0') != std::string::npos) return bad_argument(piece.text, "must not have the character U+0000");
  if (piece.is_in_path) {
    if (text.empty()) return bad_argument(piece.text, "must not be empty: it stands in the path of an address");
    if (steps_upwards(text)) return bad_argument(piece.text, "must not hold '.' or '..' as a part of a path");
  }
  return percent_encode(text);
}

Result<std::string> UrlTemplate::expand(const json::object& args) const {
  std::string url;
  for (const auto& piece : pieces_) {
    if (!piece.is_argument) {
      url += piece.text;
      continue;
    }
    const auto value = value_of(piece, args);
    if (!value) return fail(value.error());
    url += *value;
  }
  // Values that are harmless alone can meet: {a}{b} of "." and ".".
  if (has_dot_segment(std::string_view(url).substr(path_begin_))) {
    return bad_argument(names_.front(), "must not make '.' or '..' of a part of the path");
  }
  return url;
}

}  // namespace braidlog::tool
