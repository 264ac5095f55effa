#include "tool/mcp/http_exchange.h"

#include <utility>

namespace braidlog::tool::mcp {

namespace {

constexpr std::size_t kRefusalBytesMax = 64 * 1024;

bool is_success(int status) {
  return status >= 200 && status <= 299;
}

}  // namespace

void HttpExchange::close() {
  closed_ = true;
  call_.reset();
}

void HttpExchange::on_head(const ResponseHead& head) {
  if (closed_) return;
  const auto self = shared_from_this();
  status_ = head.status();
  is_stream_ = is_success(status_) && head.header("content-type").starts_with("text/event-stream");
  owner_.on_head(*this, head);
}

void HttpExchange::on_bytes(std::string_view bytes) {
  if (closed_) return;
  const auto self = shared_from_this();
  if (!is_stream_) {
    const auto room = (is_success(status_) ? text_bytes_max_ : kRefusalBytesMax) - body_.size();
    body_ += bytes.substr(0, room);
    if (bytes.size() > room)
      end_with(
          {is_success(status_) ? ExchangeEnd::Kind::kTooLarge : ExchangeEnd::Kind::kStatus, status_, std::move(body_)});
    return;
  }
  const bool sound = events_.feed(bytes, [this](const SseView& event) {
    if (!event.last_id.empty()) last_event = event.last_id;
    if (event.data.empty()) return !closed_;  // only its id matters
    ++texts;
    owner_.on_text(*this, event.data);
    return !closed_;
  });
  if (!sound && !closed_) end_with({ExchangeEnd::Kind::kTooLarge, status_});
}

void HttpExchange::on_done(CallEnd end) {
  if (closed_) return;
  const auto self = shared_from_this();
  if (end != CallEnd::kComplete) {
    switch (end) {
      case CallEnd::kNotReached:
      case CallEnd::kConnectTimeout: return end_with({ExchangeEnd::Kind::kNotReached});
      case CallEnd::kRefused: return end_with({ExchangeEnd::Kind::kForbidden});
      case CallEnd::kComplete:
      case CallEnd::kCut: return end_with({ExchangeEnd::Kind::kCut, status_});
    }
  }
  if (!is_success(status_)) return end_with({ExchangeEnd::Kind::kStatus, status_, std::move(body_)});
  if (!is_stream_ && body_.find_first_not_of(" \t\r\n") != std::string::npos) {
    ++texts;
    owner_.on_text(*this, body_);
    if (closed_) return;
  }
  end_with({ExchangeEnd::Kind::kComplete, status_});
}

void HttpExchange::end_with(ExchangeEnd end) {
  closed_ = true;
  owner_.on_end(*this, std::move(end));
}

}  // namespace braidlog::tool::mcp
