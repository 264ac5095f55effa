#include "server/console_assets.h"

#include <algorithm>
#include <string>

namespace braidlog {

namespace {

// Nothing from elsewhere, nothing inline, and nobody may put the console into a page of theirs.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

std::string_view type_of(std::string_view path) {
  struct Row {
    std::string_view ending, type;
  };
  constexpr Row kTypes[] = {{".html", "text/html; charset=utf-8"},
                            {".js", "text/javascript; charset=utf-8"},
                            {".css", "text/css; charset=utf-8"},
                            {".svg", "image/svg+xml"},
                            {".png", "image/png"},
                            {".woff2", "font/woff2"},
                            {".json", "application/json"},
                            {".txt", "text/plain; charset=utf-8"}};
  const auto row = std::ranges::find_if(kTypes, [&](const Row& r) { return path.ends_with(r.ending); });
  return row == std::end(kTypes) ? "application/octet-stream" : row->type;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const auto begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Calls `take` with each item of a list in a header, however many headers of that name there are.
template <class Take>
void each_item(const HttpRequest& request, std::string_view name, Take take) {
  for (const HttpHeader& header : request.headers) {
    if (!equals_ignoring_case(header.name, name)) continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const auto comma = rest.find(',');
      take(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
  }
}

// RFC 9110, 12.5.3: a coding with q=0 is refused; what is named counts before "*".
bool takes_gzip(const HttpRequest& request) {
  std::optional<bool> named, any;
  each_item(request, "Accept-Encoding", [&](std::string_view item) {
    const auto semicolon = item.find(';');
    const auto coding = trimmed(item.substr(0, semicolon));
    auto weight = semicolon == std::string_view::npos ? "" : trimmed(item.substr(semicolon + 1));
    const bool is_zero = (weight.starts_with("q=") || weight.starts_with("Q=")) &&
                         weight.substr(2).find_first_not_of("0.") == std::string_view::npos;
    if (equals_ignoring_case(coding, "gzip") || equals_ignoring_case(coding, "x-gzip")) named = !is_zero;
    if (coding == "*") any = !is_zero;
  });
  return named.value_or(any.value_or(false));
}

// RFC 9110, 13.1.2: weak marks are looked through; "*" is any.
bool has_already(const HttpRequest& request, std::string_view tag) {
  bool found = false;
  each_item(request, "If-None-Match", [&](std::string_view item) {
    if (item.starts_with("W/")) item.remove_prefix(2);
    found = found || item == "*" || item == tag;
  });
  return found;
}

}  // namespace

const EmbeddedFile* ConsoleAssets::find(std::string_view path) const {
  if (path == "/") path = "/index.html";
  const auto at = std::ranges::find(files_, path, &EmbeddedFile::path);
  return at == files_.end() ? nullptr : &*at;
}

std::optional<HttpResponse> ConsoleAssets::answer(const HttpRequest& request) const {
  const EmbeddedFile* file = find(request.path);
  if (file == nullptr) return std::nullopt;
  const bool packed = !file->gzip.empty() && takes_gzip(request);
  const std::string tag = '"' + std::string(file->digest) + (packed ? "-gzip\"" : "\"");
  const bool is_known = has_already(request, tag);
  HttpResponse response = HttpResponse::empty(is_known ? 304 : 200);
  response.set("ETag", tag);
  response.set("Cache-Control",
               file->path.starts_with("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
  response.set("Vary", "Accept-Encoding");
  response.set("Content-Security-Policy", std::string(kPolicy));
  response.set("X-Content-Type-Options", "nosniff");
  response.set("Referrer-Policy", "no-referrer");
  if (is_known) return response;
  response.set("Content-Type", std::string(type_of(file->path)));
  if (packed) response.set("Content-Encoding", "gzip");
  response.body = packed ? file->gzip : file->bytes;
  return response;
}

}  // namespace braidlog
