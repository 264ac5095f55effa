// HttpConnection, the half that writes responses and streams.
#include <array>
#include <charconv>
#include <utility>

#include "net/connection_shard.h"
#include "net/http_connection.h"
#include "net/http_exchange.h"
#include "net/server_context.h"

namespace braidlog {

void HttpConnection::respond(HttpResponse response) {
  BRAIDLOG_CHECK(state_ == State::kHandling);
  end_exchange();
  write_response(std::move(response), may_keep_open());
}

void HttpConnection::write_response(HttpResponse response, bool keep_open) {
  reader_.reset();
  release_body();
  std::string head;
  head.reserve(256);
  append_response_head(head, response, {BodyFraming::kLength, connection_header(keep_open)}, shard_->date());
  const bool with_body = has_body(response.status) && !head_only_;
  if (with_body && !has_room_for(response.body.size())) return write_response(overload(), keep_open);
  const std::array<std::string_view, 2> parts{head, with_body ? std::string_view(response.body) : std::string_view{}};
  if (write(parts) == SocketChannel::Written::kGone) return close();
  count_kept(channel_.unsent_bytes());
  end_response(keep_open);
}

void HttpConnection::end_response(bool keep_open) {
  since_ = shard_->now();
  state_ = keep_open ? State::kReading : State::kFlushing;
  if (channel_.unsent_bytes() > 0) return;  // on_drained() goes on
  if (!keep_open) return linger();
  if (!is_consuming_) read_on();
}

void HttpConnection::begin_stream(HttpResponse head, std::string_view silence, std::string_view first,
                                  StreamObserver& observer) {
  BRAIDLOG_CHECK(state_ == State::kHandling);
  if (is_http_1_0_) keep_alive_ = false;  // the end of the connection is the end of the stream
  state_ = State::kStreaming;
  progress_ = shard_->now();
  observer_ = &observer;
  silence_ = silence;
  context_->stats.streams_open.fetch_add(1);
  release_body();
  exchange_->shrink_request();
  std::string text;
  text.reserve(384);
  const auto framing = is_http_1_0_ ? BodyFraming::kUntilClose : BodyFraming::kChunked;
  append_response_head(text, head, {framing, connection_header(may_keep_open())}, shard_->date());
  write_chunk(text, first, Chunk::kFirst);
  send_held_later();
}

void HttpConnection::send(std::string_view bytes) {
  if (state_ != State::kStreaming || is_broken_ || bytes.empty()) return;
  if (write_chunk({}, bytes) == SocketChannel::Written::kGone) close_later();
}

void HttpConnection::finish(std::string_view last_bytes) {
  if (state_ != State::kStreaming) return;
  end_stream_count();
  observer_ = nullptr;
  const bool keep_open = may_keep_open();
  end_exchange();
  if (is_broken_) {
    state_ = State::kFlushing;  // close_later() is under way
    return;
  }
  if (write_chunk({}, last_bytes, Chunk::kLast) == SocketChannel::Written::kGone) return close();
  end_response(keep_open);
}

void HttpConnection::abort() {
  if (state_ != State::kStreaming && state_ != State::kHandling) return;
  end_stream_count();
  observer_ = nullptr;
  state_ = State::kFlushing;
  end_exchange();
  if (channel_.is_holding()) {  // whoever is refused in the moment of the answer still gets its head
    channel_.flush();
    shard_->count_sent(channel_.last_sent_bytes());
  }
  channel_.reset();
  close();
}

SocketChannel::Written HttpConnection::write(std::span<const std::string_view> parts) {
  const bool was_empty = channel_.unsent_bytes() == 0;
  const auto written = channel_.write(parts);
  if (was_empty) progress_ = shard_->now();
  shard_->count_sent(channel_.last_sent_bytes());
  if (written == SocketChannel::Written::kPart) watch_write();
  return written;
}

// Head and bytes, framed, in one write. The first chunk waits for the end of the round: mostly there is more by then,
// and whoever is sent much at a time need not be woken each time.
SocketChannel::Written HttpConnection::write_chunk(std::string_view head, std::string_view bytes, Chunk chunk) {
  const auto pass_on = [&](std::span<const std::string_view> parts) {
    if (chunk != Chunk::kFirst) return write(parts);
    channel_.hold(parts);
    return SocketChannel::Written::kAll;
  };
  if (head_only_ || is_http_1_0_) {
    const std::array<std::string_view, 2> parts{head, head_only_ ? std::string_view{} : bytes};
    return pass_on(parts);
  }
  const std::string_view last = chunk == Chunk::kLast ? "0\r\n\r\n" : "";
  if (bytes.empty()) {
    const std::array<std::string_view, 2> parts{head, last};
    return pass_on(parts);
  }
  std::array<char, 20> size{};
  auto* end = std::to_chars(size.data(), size.data() + size.size() - 2, bytes.size(), 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  const std::string_view size_line(size.data(), static_cast<std::size_t>(end - size.data()));
  const std::array<std::string_view, 5> parts{head, size_line, bytes, "\r\n", last};
  return pass_on(parts);
}

bool HttpConnection::may_keep_open() const {
  return keep_alive_ && !context_->draining;
}

ConnectionHeader HttpConnection::connection_header(bool keep_open) const {
  if (!keep_open) return ConnectionHeader::kClose;
  return is_http_1_0_ ? ConnectionHeader::kKeepAlive : ConnectionHeader::kNone;
}

}  // namespace braidlog
