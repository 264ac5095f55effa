// HttpConnection, what time does to it. Called by the sweep of its shard.
#include <algorithm>

#include "base/log.h"
#include "net/connection_shard.h"
#include "net/http_connection.h"
#include "net/http_exchange.h"
#include "net/server_context.h"

namespace braidlog {

namespace {

using std::chrono::milliseconds;

// How long a closed side waits for the client to close its own.
constexpr milliseconds kLingerTime{3'000};
// A body must come at this pace on average, after its first body_timeout: otherwise one byte per timeout would keep
// a connection for years.
constexpr std::int64_t kBodyBytesPerMillisecond = 1;

bool has_passed(milliseconds limit, MonoTime from, MonoTime now) {
  return now.ms - from.ms >= limit.count();
}

}  // namespace

bool HttpConnection::is_due(MonoTime now) const {
  const Limits& limits = context_->limits;
  const bool is_sending = channel_.unsent_bytes() > 0;
  if (is_sending && state_ != State::kMoving) return has_passed(limits.stall_timeout, progress_, now);
  switch (state_) {
    case State::kReading: return reading_is_due(now);
    case State::kHandling: return exchange_.use_count() == 1;
    case State::kStreaming: return !silence_.empty() && has_passed(limits.keepalive_interval, progress_, now);
    case State::kFlushing: return has_passed(limits.stall_timeout, progress_, now);
    case State::kLingering: return has_passed(kLingerTime, since_, now);
    case State::kMoving:
    case State::kClosed: return false;
  }
  return false;
}

bool HttpConnection::reading_is_due(MonoTime now) const {
  const Limits& limits = context_->limits;
  if (!reader_) return has_passed(limits.idle_timeout, since_, now);
  if (reader_->state() == RequestReader::State::kHead) return has_passed(limits.header_timeout, since_, now);
  const auto received = static_cast<std::int64_t>(body_bytes_counted_);
  return has_passed(limits.body_timeout, progress_, now) ||
         has_passed(limits.body_timeout + milliseconds(received / kBodyBytesPerMillisecond), since_, now);
}

void HttpConnection::on_due() {
  if (channel_.unsent_bytes() > 0) return close_stalled();
  switch (state_) {
    case State::kReading:
      if (reader_) return refuse(408);
      return close();
    case State::kHandling:
      // Nobody but the connection holds the exchange: it will never be answered. A fault of ours; end it here.
      log_error("request dropped without an answer", {{"path", exchange_->request().path}});
      return close();
    case State::kStreaming: return send(silence_);
    case State::kFlushing:
    case State::kLingering: return close();
    case State::kMoving:
    case State::kClosed: return;
  }
}

void HttpConnection::close_stalled() {
  if (state_ == State::kStreaming) context_->stats.streams_stalled.fetch_add(1);
  log_warn(
      "connection closed",
      {{"reason", "stalled"}, {"peer", peer_.to_string()}, {"unsent_bytes", std::to_string(channel_.unsent_bytes())}});
  channel_.reset();
  close();
}

}  // namespace braidlog
