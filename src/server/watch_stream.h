// One stream that shows many runs: the socket's end of it. What a run says comes from its tap, wherever the run lives;
// a batch is sent when the socket is free, and only when it is with the kernel does the tap make the next. Runs on: the
// io thread of its connection.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "api/service.h"
#include "base/limits.h"
#include "dialect/dialect.h"
#include "net/exchange.h"
#include "server/notice_queue.h"
#include "server/watch_tap.h"

namespace braidlog {

class WatchStream;

// Who brings a stream and its taps together.
class WatchOwner {
 public:
  virtual ~WatchOwner() = default;
  virtual api::Service& service() = 0;
  // A tap for the watch at `index`; its batches come to WatchStream::take().
  virtual void open_tap(const WatchStream& stream, std::size_t index, WatchTap::Setup setup) = 0;
  virtual void ask_next(const WatchStream& stream, std::size_t index, RunId run_id) = 0;
  // The stream is over; it is destroyed after this task.
  virtual void on_over(WatchStream& stream) = 0;
};

class WatchStream final : private StreamObserver {
 public:
  struct Setup {
    std::uint64_t id = 0;  // among those of this thread
    std::shared_ptr<Exchange> exchange;
    api::Caller caller{};
    std::vector<HttpHeader> headers{};  // added to the answer's
    OpenWatch open{};
    std::vector<const Dialect*> views{};  // of the watches, in their order
  };
  // The references outlive the stream.
  WatchStream(Setup setup, const Limits& limits, WatchOwner& owner);

  // Sends the head and the greeting, and looks for the runs: each is shown if the caller may see it.
  void start();
  void take(std::size_t index, WatchBatch batch);
  void notify(const RunNotice& notice);
  // Ends uncleanly: the server stops, or the credential is worth nothing any more.
  void abort();

  std::uint64_t id() const { return setup_.id; }
  bool wants_notices() const { return setup_.open.notices; }
  const std::string& credential() const { return setup_.caller.credential; }

 private:
  void on_drained() override { pump(); }
  void on_closed() override { over(); }
  void look_for(std::size_t index);
  void refuse(std::size_t index, const Error& error);
  void pump();
  void over();
  bool hears_of_everybody() const { return setup_.open.notices && setup_.open.everybody && setup_.caller.is_admin; }
  log::WatchName name_of(std::size_t index) const;

  struct Ready {
    std::size_t index = 0;
    WatchBatch batch;
  };
  Setup setup_;
  WatchOwner& owner_;
  std::deque<Ready> ready_;         // at most one of each watch
  std::vector<std::size_t> taken_;  // whose last batch goes to the socket now
  NoticeQueue notices_;
  bool over_ = false;
  Liveness liveness_;
};

}  // namespace braidlog
