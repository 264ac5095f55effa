#include "wire/http.h"

#include <array>

#include "base/hex.h"
#include "base/utf8.h"

namespace braidlog {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

std::optional<std::string> decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    out += c;
  }
  if (!is_valid_utf8(out)) return std::nullopt;
  return out;
}

struct StatusName {
  int status;
  std::string_view name;
};

constexpr std::array kStatusNames{
    StatusName{100, "Continue"},
    StatusName{200, "OK"},
    StatusName{201, "Created"},
    StatusName{202, "Accepted"},
    StatusName{204, "No Content"},
    StatusName{206, "Partial Content"},
    StatusName{301, "Moved Permanently"},
    StatusName{302, "Found"},
    StatusName{303, "See Other"},
    StatusName{304, "Not Modified"},
    StatusName{307, "Temporary Redirect"},
    StatusName{308, "Permanent Redirect"},
    StatusName{400, "Bad Request"},
    StatusName{401, "Unauthorized"},
    StatusName{403, "Forbidden"},
    StatusName{404, "Not Found"},
    StatusName{405, "Method Not Allowed"},
    StatusName{406, "Not Acceptable"},
    StatusName{408, "Request Timeout"},
    StatusName{409, "Conflict"},
    StatusName{410, "Gone"},
    StatusName{411, "Length Required"},
    StatusName{412, "Precondition Failed"},
    StatusName{413, "Content Too Large"},
    StatusName{414, "URI Too Long"},
    StatusName{415, "Unsupported Media Type"},
    StatusName{416, "Range Not Satisfiable"},
    StatusName{417, "Expectation Failed"},
    StatusName{422, "Unprocessable Content"},
    StatusName{426, "Upgrade Required"},
    StatusName{429, "Too Many Requests"},
    StatusName{431, "Request Header Fields Too Large"},
    StatusName{499, "Client Closed Request"},
    StatusName{500, "Internal Server Error"},
    StatusName{501, "Not Implemented"},
    StatusName{502, "Bad Gateway"},
    StatusName{503, "Service Unavailable"},
    StatusName{504, "Gateway Timeout"},
    StatusName{505, "HTTP Version Not Supported"},
    StatusName{507, "Insufficient Storage"},
};

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::kGet: return "GET";
    case Method::kHead: return "HEAD";
    case Method::kPost: return "POST";
    case Method::kPut: return "PUT";
    case Method::kPatch: return "PATCH";
    case Method::kDelete: return "DELETE";
    case Method::kOptions: return "OPTIONS";
    case Method::kOther: return "OTHER";
  }
  return "OTHER";
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  for (const auto& header : headers) {
    if (equals_ignoring_case(header.name, name)) return header.value;
  }
  return std::nullopt;
}

std::optional<std::string_view> HttpRequest::parameter(std::string_view name) const {
  for (const auto& [key, value] : query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

HttpResponse HttpResponse::json(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.set("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

HttpResponse HttpResponse::empty(int status) {
  HttpResponse response;
  response.status = status;
  return response;
}

std::string_view reason_phrase(int status) {
  for (const auto& row : kStatusNames) {
    if (row.status == status) return row.name;
  }
  return "Unknown";
}

std::optional<std::string> percent_decode(std::string_view text) {
  return decode(text, false);
}

std::optional<std::string> form_decode(std::string_view text) {
  return decode(text, true);
}

std::string percent_encode(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (is_letter || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~') {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

void split_target(HttpRequest& request) {
  const std::string_view target = request.target;
  const auto mark = target.find('?');
  request.path = target.substr(0, mark);
  request.query.clear();
  request.query_is_valid = true;
  if (mark == std::string_view::npos) return;
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const auto end = rest.find('&');
    const auto pair = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    auto name = form_decode(pair.substr(0, equals));
    auto value = form_decode(equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1));
    if (name && value) {
      request.query.emplace_back(std::move(*name), std::move(*value));
    } else {
      request.query_is_valid = false;
    }
  }
}

}  // namespace braidlog
