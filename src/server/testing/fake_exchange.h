// An Exchange without a socket: takes as many bytes as the test lets it.
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "net/exchange.h"

namespace braidlog::testing {

class FakeExchange final : public Exchange {
 public:
  explicit FakeExchange(Loop& loop) : loop_(loop) {}

  const HttpRequest& request() const override { return request_; }
  Loop& loop() override { return loop_; }
  std::string peer() const override { return "test"; }
  void on_gone(Task task) override { gone_ = std::move(task); }
  void respond(HttpResponse response) override {
    responded = std::move(response);
    ++responses;
  }
  void move_to(unsigned, Task then) override { then(); }
  void begin_stream(HttpResponse head, std::string_view silence, std::string_view first,
                    StreamObserver& observer) override {
    responded = std::move(head);
    silence_text = silence;
    observer_ = &observer;
    send(first);
  }
  void send(std::string_view bytes) override {
    if (!open()) return;
    unsent_ += bytes;
    most_unsent = std::max(most_unsent, unsent_.size());
    take();
  }
  std::size_t unsent_bytes() const override { return unsent_.size(); }
  void finish() override {
    received += std::exchange(unsent_, {});
    finished = true;
    observer_ = nullptr;
  }
  void abort() override {
    aborted = true;
    observer_ = nullptr;
  }

  // The client reads that much, and the observer hears of it as from the loop.
  void let_read(std::size_t bytes) {
    room = bytes;
    const bool waited = !unsent_.empty();
    take();
    if (waited && unsent_.empty() && observer_) observer_->on_drained();
  }
  void disconnect() {
    if (auto gone = std::exchange(gone_, {}); gone && observer_ == nullptr) gone();
    if (auto* observer = std::exchange(observer_, nullptr)) observer->on_closed();
  }
  bool open() const { return observer_ != nullptr; }

  HttpResponse responded;
  std::string silence_text, received;
  std::size_t room = std::numeric_limits<std::size_t>::max();  // what the socket still takes
  std::size_t most_unsent = 0;
  bool finished = false, aborted = false;
  int responses = 0;

 private:
  void take() {
    const std::size_t count = std::min(room, unsent_.size());
    received.append(unsent_, 0, count);
    unsent_.erase(0, count);
    if (room != std::numeric_limits<std::size_t>::max()) room -= count;
  }
  Loop& loop_;
  HttpRequest request_;
  StreamObserver* observer_ = nullptr;
  Task gone_;
  std::string unsent_;
};

}  // namespace braidlog::testing
