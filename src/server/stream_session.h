// One viewer of one run: a position in the log and a socket. It first catches up by reading the log itself, as fast as
// the socket takes it, then rides on the feed. When its socket falls behind it goes back to the log, so it never
// holds more than its last piece and the socket's small buffer. Runs on: the io thread of the run.
#pragma once

#include <memory>
#include <optional>

#include "base/limits.h"
#include "dialect/dialect.h"
#include "net/exchange.h"
#include "runlog/run_records.h"
#include "server/frame_feed.h"
#include "server/frame_reader.h"
#include "server/run_clients.h"

namespace braidlog {

class StreamSession;

// Where a session finds the feed of its run, and says that it is done.
class StreamOwner {
 public:
  virtual ~StreamOwner() = default;
  // The feed, or null when nobody rides on it yet: then give_feed() makes one of the session's own reader.
  virtual FrameFeed* find_feed(const StreamSession& session) = 0;
  virtual FrameFeed& give_feed(const StreamSession& session, Cursor cursor, std::unique_ptr<Projection> projection) = 0;
  // Where sessions make frames: nothing in it lasts longer than a task.
  virtual Frames& scratch() = 0;
  virtual HistorySource& history() = 0;
  // Calls session.go_on() with a later task, if the session is still there.
  virtual void later(StreamSession& session) = 0;
  // The session is over; it is destroyed after this task.
  virtual void on_over(StreamSession& session) = 0;
};

class StreamSession final : private StreamObserver, private FeedViewer {
 public:
  // Who watches, and what it means when they go.
  struct Viewer {
    std::string credential;
    RunClients::Seat seat;
  };
  StreamSession(std::shared_ptr<Exchange> exchange, const Dialect& dialect, std::shared_ptr<RunRecords> records,
                std::optional<EventId> after, const Limits& limits, StreamOwner& owner, Viewer viewer = {});
  ~StreamSession() override;

  // Sends the head, with `headers` added, and the first frames; 204 when the run is over and the client has everything.
  void start(std::vector<HttpHeader> headers = {});
  void go_on();
  // Ends uncleanly: the server stops.
  void abort();

  RunId run_id() const { return records_->id(); }
  const Dialect& dialect() const { return dialect_; }
  const std::string& credential() const { return viewer_.credential; }

 private:
  void on_drained() override;
  void on_closed() override;
  void on_frames(std::string_view bytes, FramePosition last, bool ended) override;
  void on_abandoned() override { abort(); }

  void begin();
  void refuse(const Error& error);  // before the head is sent
  void pump();
  using Read = FrameReader::Read;
  Read read_piece() { return reader_->read_piece(frames_, seen_); }
  void wait_for(Read reason);  // after a read that gave no frames
  void ask_history();
  void settle();  // the log is read to its committed end: ride on the feed, or finish
  void begin_reading();
  void leave_feed();
  void over();

  std::shared_ptr<Exchange> exchange_;
  const Dialect& dialect_;
  std::shared_ptr<RunRecords> records_;
  const Limits& limits_;
  StreamOwner& owner_;

  std::optional<FramePosition> seen_;  // the client has every frame up to here
  std::optional<FrameReader> reader_;  // while reading the log; none while riding on the feed
  Frames& frames_;
  FrameFeed* feed_ = nullptr;
  std::vector<HttpHeader> headers_;  // of the head, until it is sent
  bool begun_ = false, over_ = false;
  bool asking_ = false;  // for the history of the reader's next event
  Liveness liveness_;
  Viewer viewer_;
};

}  // namespace braidlog
