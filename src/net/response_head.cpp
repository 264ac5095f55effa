#include "net/response_head.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

namespace braidlog {

namespace {

bool is_ours(std::string_view name) {
  for (const std::string_view ours : {"Content-Length", "Date", "Connection", "Transfer-Encoding"}) {
    if (equals_ignoring_case(name, ours)) return true;
  }
  return false;
}

void append_clean(std::string& out, std::string_view text) {
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += is_control ? ' ' : c;
  }
}

void append_header(std::string& out, std::string_view name, std::string_view value) {
  append_clean(out, name);
  out += ": ";
  append_clean(out, value);
  out += "\r\n";
}

}  // namespace

bool has_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

void append_response_head(std::string& out, const HttpResponse& response, ResponseFraming framing,
                          std::string_view date) {
  out += "HTTP/1.1 ";
  out += std::to_string(response.status);
  out += ' ';
  out += reason_phrase(response.status);
  out += "\r\n";
  for (const auto& header : response.headers) {
    if (!is_ours(header.name)) append_header(out, header.name, header.value);
  }
  switch (framing.body) {
    case BodyFraming::kLength:
      if (has_body(response.status)) append_header(out, "Content-Length", std::to_string(response.body.size()));
      break;
    case BodyFraming::kChunked: append_header(out, "Transfer-Encoding", "chunked"); break;
    case BodyFraming::kUntilClose: break;
  }
  append_header(out, "Date", date);
  switch (framing.connection) {
    case ConnectionHeader::kNone: break;
    case ConnectionHeader::kClose: append_header(out, "Connection", "close"); break;
    case ConnectionHeader::kKeepAlive: append_header(out, "Connection", "keep-alive"); break;
  }
  out += "\r\n";
}

std::string_view HttpDate::text(WallTime now) {
  const std::int64_t second = now.ms / 1000;
  if (second == second_) return text_;
  // Names are written here because strftime's depend on the locale.
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t time = second;
  std::tm utc{};
  gmtime_r(&time, &utc);
  text_ = fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(utc.tm_wday)],
                      utc.tm_mday, kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900, utc.tm_hour,
                      utc.tm_min, utc.tm_sec);
  second_ = second;
  return text_;
}

}  // namespace braidlog
