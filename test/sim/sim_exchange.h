// A connection without a socket, with a client at its other end who reads as fast as it likes, falls behind or leaves.
// Bytes are not kept: whoever watches sees them the moment the server sends them.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "net/exchange.h"

namespace braidlog::sim {

class SimExchange final : public Exchange, public std::enable_shared_from_this<SimExchange> {
 public:
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  // What the client sees. `responded` comes for an answer that is no stream.
  struct Watcher {
    std::function<void(const HttpResponse&)> responded;
    std::function<void(std::string_view)> sent;
    std::function<void()> finished;
  };

  SimExchange(std::vector<Loop*> loops, unsigned index, HttpRequest request, Watcher watcher)
      : loops_(std::move(loops)), loop_(loops_[index]), request_(std::move(request)), watcher_(std::move(watcher)) {}

  const HttpRequest& request() const override { return request_; }
  Loop& loop() override { return *loop_; }
  std::string peer() const override { return "sim"; }
  void on_gone(Task) override {}
  void respond(HttpResponse response) override {
    if (std::exchange(answered_, true) || gone_) return;
    watcher_.responded(response);
  }
  void move_to(unsigned index, Task then) override {
    loop_ = loops_[index];
    loop_->post(std::move(then));
  }

  void begin_stream(HttpResponse, std::string_view, std::string_view first, StreamObserver& observer) override {
    answered_ = begun_ = true;
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
    cut_ = true;
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
    if (std::exchange(gone_, true) || !is_open()) return;
    tell_closed();
  }
  // The server is no more.
  void server_gone() {
    observer_ = nullptr;
    cut_ = true;
  }

  bool is_answered() const { return answered_; }
  bool is_begun() const { return begun_; }
  bool is_open() const { return observer_ != nullptr; }
  bool is_gone() const { return gone_; }
  bool is_cut() const { return cut_ || gone_; }
  bool is_complete() const { return finished_ && unsent_ == 0; }
  std::size_t received() const { return received_; }

 private:
  void take() {
    const std::size_t count = std::min(room_, unsent_);
    unsent_ -= count;
    received_ += count;
    if (room_ != kAll) room_ -= count;
  }
  void tell_closed() {
    loop_->post([self = shared_from_this()] {
      if (auto* observer = std::exchange(self->observer_, nullptr)) observer->on_closed();
    });
  }

  std::vector<Loop*> loops_;
  Loop* loop_;
  HttpRequest request_;
  Watcher watcher_;
  StreamObserver* observer_ = nullptr;
  std::size_t room_ = kAll, unsent_ = 0, received_ = 0;
  bool answered_ = false, begun_ = false, finished_ = false, cut_ = false, gone_ = false;
};

}  // namespace braidlog::sim
