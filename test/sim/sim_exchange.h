// A connection without a socket, with a client at its other end who reads as fast as it likes, falls behind or leaves.
// Bytes are not kept: whoever watches sees them the moment the server sends them.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/exchange.h"

namespace braidlog::sim {

class SimExchange final : public Exchange, public std::enable_shared_from_this<SimExchange> {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  // What the client sees. `responded` comes for an answer that is no stream; `sent` also when the stream begins, with
  // nothing perhaps; `cut` when the server ends it uncleanly.
  struct Watcher {
    std::function<void(const HttpResponse&)> responded;
    std::function<void(std::string_view)> sent;
    std::function<void()> finished;
    std::function<void()> cut;
  };

  SimExchange(std::vector<Loop*> loops, unsigned index, HttpRequest request, Watcher watcher)
      : loops_(std::move(loops)),
        loop_(loops_[index]),
        clock_(loop_->clock()),
        request_(std::move(request)),
        watcher_(std::move(watcher)) {}

  const HttpRequest& request() const override { return request_; }
  Loop& loop() override { return *loop_; }
  std::string peer() const override { return "sim"; }
  void on_gone(Task task) override {
    if (answered_) return;
    on_gone_ = std::move(task);
    if (gone_) tell_gone();
  }
  void respond(HttpResponse response) override {
    on_gone_ = nullptr;
    if (std::exchange(answered_, true) || gone_ || cut_) return;
    watcher_.responded(response);
  }
  void move_to(unsigned index, Task then) override {
    loop_ = loops_[index];
    loop_->post(std::move(then));
  }

  void begin_stream(HttpResponse, std::string_view, std::string_view first, StreamObserver& observer) override {
    answered_ = begun_ = true;
    begun_at_ = clock_.mono();
    on_gone_ = nullptr;
    observer_ = &observer;
    if (gone_) return tell_closed();
    send(first);
  }
  void send(std::string_view bytes) override {
    if (!is_open() || gone_) return;
    watcher_.sent(bytes);
    unsent_ += bytes.size();
    take();
  }
  std::size_t unsent_bytes() const override { return unsent_; }
  void finish() override {
    if (!is_open()) return;
    observer_ = nullptr;
    finished_ = true;
    if (!gone_) watcher_.finished();
  }
  void abort() override {
    observer_ = nullptr;
    on_gone_ = nullptr;
    if (std::exchange(cut_, true) || gone_) return;
    if (watcher_.cut) watcher_.cut();
  }

  // ---- the client's end

  // It reads that much more, or everything from now on.
  void read(std::size_t bytes) {
    room_ = bytes == kAll || room_ == kAll ? bytes : room_ + bytes;
    const bool waited = unsent_ > 0;
    take();
    if (!waited || unsent_ > 0 || !is_open()) return;
    loop_->post([self = shared_from_this()] {
      if (self->is_open() && !self->gone_ && self->unsent_ == 0) self->observer_->on_drained();
    });
  }
  void stop_reading() { room_ = 0; }
  void leave() {
    if (std::exchange(gone_, true)) return;
    gone_at_ = clock_.mono();
    if (is_open()) return tell_closed();
    if (on_gone_) tell_gone();
  }
  // The server is no more.
  void server_gone() {
    observer_ = nullptr;
    on_gone_ = nullptr;
    cut_ = true;
  }

  bool is_answered() const { return answered_; }
  bool is_begun() const { return begun_; }
  bool is_open() const { return observer_ != nullptr; }
  bool is_gone() const { return gone_; }
  bool is_cut() const { return cut_ || gone_; }
  bool is_complete() const { return finished_ && unsent_ == 0; }
  // The client is at the other end, and waits or reads.
  bool is_attended() const { return !is_cut() && !finished_ && !(answered_ && !begun_); }
  std::size_t received() const { return received_; }
  MonoTime begun_at() const { return begun_at_; }
  MonoTime gone_at() const { return gone_at_; }                       // when the client left
  std::optional<MonoTime> noticed_at() const { return noticed_at_; }  // and when the server heard of it

 private:
  void take() {
    const std::size_t count = std::min(room_, unsent_);
    unsent_ -= count;
    received_ += count;
    if (room_ != kAll) room_ -= count;
  }
  void tell_closed() {
    loop_->post([self = shared_from_this()] {
      self->noticed_at_ = self->clock_.mono();
      if (auto* observer = std::exchange(self->observer_, nullptr)) observer->on_closed();
    });
  }
  void tell_gone() {
    loop_->post([self = shared_from_this()] {
      self->noticed_at_ = self->clock_.mono();
      if (auto task = std::exchange(self->on_gone_, nullptr)) task();
    });
  }

  std::vector<Loop*> loops_;
  Loop* loop_;
  const Clock& clock_;
  HttpRequest request_;
  Watcher watcher_;
  StreamObserver* observer_ = nullptr;
  Task on_gone_;
  MonoTime begun_at_, gone_at_;
  std::optional<MonoTime> noticed_at_;
  std::size_t room_ = kAll, unsent_ = 0, received_ = 0;
  bool answered_ = false, begun_ = false, finished_ = false, cut_ = false, gone_ = false;
};

}  // namespace braidlog::sim
