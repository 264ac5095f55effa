#include "net/request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <stdexcept>
#include <utility>

#include "base/release_memory.h"
#include "base/utf8.h"

namespace braidlog {

namespace {

namespace http = boost::beast::http;

// More fields than this is a head over its limit, however short they are.
constexpr std::size_t kHeadersMax = 128;

std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

Method method_of(std::string_view name) {
  for (const Method method :
       {Method::kGet, Method::kHead, Method::kPost, Method::kPut, Method::kPatch, Method::kDelete, Method::kOptions}) {
    if (name == name_of(method)) return method;
  }
  return Method::kOther;
}

std::size_t count_of(const HttpRequest& request, std::string_view name) {
  return static_cast<std::size_t>(
      std::count_if(request.headers.begin(), request.headers.end(),
                    [&](const HttpHeader& header) { return equals_ignoring_case(header.name, name); }));
}

std::optional<std::uint64_t> parse_length(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

bool is_host(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view(".-_:[]~%").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::size_t RequestReader::feed(std::string_view bytes) {
  if (state_ == State::kHead) return feed_head(bytes);
  if (state_ != State::kBody) return 0;
  const std::size_t taken = body_.feed(bytes, request_.body);
  switch (body_.state()) {
    case BodyDecoder::State::kMore: break;
    case BodyDecoder::State::kEnd: state_ = State::kComplete; break;
    case BodyDecoder::State::kBad: fail(400); break;
    case BodyDecoder::State::kTooLarge: fail(413); break;
  }
  return taken;
}

std::size_t RequestReader::feed_head(std::string_view bytes) {
  if (head_.empty()) head_.reserve(std::min(bytes.size(), header_bytes_max_));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (head_.size() >= header_bytes_max_) {
      fail(431);
      return i;
    }
    head_ += bytes[i];
    switch (scanner_.take(bytes[i])) {
      case HeadScanner::Step::kMore: break;
      case HeadScanner::Step::kLeadingLine: head_.clear(); break;
      case HeadScanner::Step::kRequestLine:
        if (!take_request_line(std::string_view(head_).substr(0, head_.size() - 2))) {
          fail(400);
          return i + 1;
        }
        break;
      case HeadScanner::Step::kEnd:
        if (parse_head()) {
          state_ = State::kHeadComplete;
        } else if (state_ != State::kFailed) {
          fail(400);
        }
        return i + 1;
      case HeadScanner::Step::kBad: fail(400); return i + 1;
    }
  }
  return bytes.size();
}

// Checked as soon as it is there, so that HTTP/0.9, HTTP/2 and noise are answered without waiting for more.
bool RequestReader::take_request_line(std::string_view line) {
  const auto first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return false;
  const auto version = line.substr(last + 1);
  const auto target = line.substr(first + 1, last - first - 1);
  if (target.empty() || target.find(' ') != std::string_view::npos || !is_valid_utf8(target)) return false;
  request_.method = method_of(line.substr(0, first));
  request_.target = target;
  split_target(request_);
  is_http_1_0_ = version == "HTTP/1.0";
  return is_http_1_0_ || version == "HTTP/1.1";
}

bool RequestReader::parse_head() {
  http::request_parser<http::empty_body> parser;
  parser.header_limit(static_cast<std::uint32_t>(head_.size() + 1));
  parser.body_limit(boost::none);
  boost::system::error_code error;
  try {
    parser.put(boost::asio::buffer(head_), error);
  } catch (const std::length_error&) {
    return false;  // Beast throws on a field over 64 KiB, which a large header_bytes_max lets through
  }
  if (error || !parser.is_header_done()) return false;
  const auto& message = parser.get();
  for (const auto& field : message) {
    if (request_.headers.size() == kHeadersMax) {
      fail(431);
      return false;
    }
    request_.headers.push_back({std::string(view_of(field.name_string())), std::string(view_of(field.value()))});
  }
  keep_alive_ = message.keep_alive();
  release_memory(head_);
  return take_framing() && take_host() && take_target();
}

bool RequestReader::take_framing() {
  const auto lengths = count_of(request_, "content-length"), codings = count_of(request_, "transfer-encoding");
  if (lengths + codings > 1) return false;
  if (lengths == 1) {
    content_length_ = parse_length(*request_.header("content-length"));
    if (!content_length_) return false;
  }
  if (codings == 1) {
    if (is_http_1_0_ || *request_.header("transfer-encoding") != "chunked") return false;
    is_chunked_ = true;
  }
  const auto expect = request_.header("expect");
  expects_continue_ = !is_http_1_0_ && expect && equals_ignoring_case(*expect, "100-continue");
  return true;
}

bool RequestReader::take_host() {
  const auto hosts = count_of(request_, "host");
  if (hosts > 1 || (hosts == 0 && !is_http_1_0_)) return false;
  return hosts == 0 || is_host(*request_.header("host"));
}

// Origin form, or "*" of OPTIONS, or the absolute form when it says the same as Host (RFC 9112 3.2.2).
bool RequestReader::take_target() {
  std::string_view target = request_.target;
  if (target.find('#') != std::string_view::npos) return false;
  if (target.starts_with('/')) return true;
  if (target == "*") return request_.method == Method::kOptions;
  constexpr std::string_view kScheme = "http://";
  if (!target.starts_with(kScheme)) return false;
  target.remove_prefix(kScheme.size());
  const auto authority = target.substr(0, target.find_first_of("/?"));
  if (authority.empty() || !equals_ignoring_case(authority, request_.header("host").value_or(""))) return false;
  std::string origin(target.substr(authority.size()));
  if (!origin.starts_with('/')) origin.insert(0, "/");
  request_.target = std::move(origin);
  split_target(request_);
  return true;
}

void RequestReader::accept_body(std::size_t bytes_max) {
  if (!has_body()) {
    state_ = State::kComplete;
    return;
  }
  state_ = State::kBody;
  body_ = is_chunked_ ? BodyDecoder::of_chunks(bytes_max) : BodyDecoder::of_length(*content_length_, bytes_max);
  if (body_.state() == BodyDecoder::State::kTooLarge) fail(413);
}

void RequestReader::fail(int status) {
  state_ = State::kFailed;
  failure_status_ = status;
  release_memory(head_);
}

}  // namespace braidlog
