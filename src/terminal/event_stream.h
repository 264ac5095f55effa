// One stream of events over as many connections as it takes. A connection that is lost, refused for the moment or
// silent for too long is made anew after a pause, and the stream goes on after the last frame that was handed over:
// by Last-Event-ID, and where frames have no ids by leaving out as many as were there before. So each frame comes
// once, in order, none missing.
//
// Runs on: the loop it is given; no call comes from inside open().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/loop.h"
#include "net/http_client.h"
#include "terminal/frame_splitter.h"

namespace braidlog::terminal {

struct StreamEnd {
  enum class Kind {
    kOver,     // there is nothing more to come
    kRefused,  // the server will not give it: `status` and the body that says why
    kGaveUp,   // no connection for too long
  };
  Kind kind = Kind::kOver;
  int status = 0;
  std::string body;
};

// No call may destroy the stream.
class StreamListener {
 public:
  virtual ~StreamListener() = default;
  // False: that was enough, and the stream is over.
  virtual bool on_frame(const Frame& frame) = 0;
  // The connection went, once for each time; the stream tries by itself to go on.
  virtual void on_lost() = 0;
  virtual void on_end(const StreamEnd& end) = 0;
};

struct StreamOptions {
  std::string last_id;  // begin after this event; empty: from the start
  // Whether this frame is the last one. A connection that ends in good order before it counts as lost: a proxy may
  // have made a clean end of a cut. Empty: a clean end is the end.
  std::function<bool(const Frame&)> is_last;
  std::chrono::milliseconds first_pause{300}, pause_max{5000};
  std::chrono::milliseconds give_up_after{std::chrono::minutes(5)};
  // Our server breaks every silence after fifteen seconds.
  std::chrono::milliseconds silence_max{std::chrono::seconds(90)};
};

class EventStream final : private HttpCallSink {
 public:
  // `request` is sent for each connection, with Last-Event-ID added to it.
  EventStream(Loop& loop, HttpClient& http, OutgoingRequest request, StreamOptions options, StreamListener& listener);

  void open();

 private:
  void on_head(const ResponseHead& head) override;
  void on_bytes(std::string_view bytes) override;
  void on_done(CallEnd end) override;

  bool take(const Frame& frame);
  void connect();
  void retry();
  void watch_silence();
  void finish(StreamEnd end);

  Loop& loop_;
  HttpClient& http_;
  const OutgoingRequest request_;
  const StreamOptions options_;
  StreamListener& listener_;
  std::unique_ptr<HttpCall> call_;
  Timer pause_timer_, silence_timer_;
  FrameSplitter splitter_;
  std::string last_id_;  // of the last frame handed over
  std::uint64_t frames_without_id_ = 0, frames_to_skip_ = 0;
  std::chrono::milliseconds pause_;
  bool is_lost_ = false;
  MonoTime lost_at_{};
  int status_ = 0;
  std::string refusal_;
  bool was_last_ = false, has_enough_ = false, is_over_ = false;
};

}  // namespace braidlog::terminal
