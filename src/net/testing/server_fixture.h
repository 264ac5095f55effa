// A server on loopback whose handler a test fills in.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "net/http_server.h"
#include "net/testing/raw_client.h"

namespace braidlog::testing {

// Set the functions before the server starts; they run on its io threads.
class ScriptedHandler final : public HttpHandler {
 public:
  HeadDecision on_head(const HttpRequest& head) override {
    ++heads;
    return head_script ? head_script(head) : HeadDecision(TakeBody{body_bytes_max});
  }
  void on_request(std::shared_ptr<Exchange> exchange) override {
    ++requests;
    if (request_script) return request_script(std::move(exchange));
    exchange->respond(echo(exchange->request()));
  }
  HttpResponse transport_error(int status, const HttpRequest& head) override {
    ++transport_errors;
    return HttpResponse::json(status, "{\"status\":" + std::to_string(status) + ",\"path\":\"" + head.path + "\"}");
  }

  static HttpResponse echo(const HttpRequest& request) {
    return HttpResponse::json(200, std::string(name_of(request.method)) + " " + request.target + " " + request.body);
  }

  std::function<HeadDecision(const HttpRequest&)> head_script;
  std::function<void(std::shared_ptr<Exchange>)> request_script;
  std::size_t body_bytes_max = 1024;
  std::atomic<int> heads{0}, requests{0}, transport_errors{0};
};

// What an exchange's callbacks said, to be read from the test's thread.
class RecordingObserver final : public StreamObserver {
 public:
  void on_drained() override {
    ++drained;
    if (drained_script) drained_script();
  }
  void on_closed() override { ++closed; }
  std::function<void()> drained_script;
  std::atomic<int> drained{0}, closed{0};
};

class ServerTest : public ::testing::Test {
 protected:
  ~ServerTest() override { stop(); }

  void start(unsigned thread_count = 1) {
    for (unsigned i = 0; i < thread_count; ++i) threads_.push_back(std::make_unique<IoThread>(i, clock_));
    server_ = std::make_unique<HttpServer>(threads_, handler_, limits_);
    const auto status = server_->listen("127.0.0.1", 0);
    ASSERT_TRUE(status) << status.error().message;
    for (auto& thread : threads_) thread->start();
  }
  void stop() {
    server_.reset();
    {
      const std::lock_guard lock(mutex_);
      held_.clear();
    }
    threads_.clear();
  }

  RawClient connect(int receive_buffer_bytes = 0) { return RawClient(server_->port(), receive_buffer_bytes); }
  RawResponse ask(RawClient& client, const std::string& target) {
    client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    return client.read_response();
  }

  // A request script that keeps exchanges for the test to answer later.
  void hold_requests() {
    handler_.request_script = [this](std::shared_ptr<Exchange> exchange) { hold(std::move(exchange)); };
  }
  void hold(std::shared_ptr<Exchange> exchange) {
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(exchange));
  }
  // Waits for the held exchange of that index.
  std::shared_ptr<Exchange> held(std::size_t index = 0) {
    std::shared_ptr<Exchange> found;
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex_);
      if (held_.size() > index) found = held_[index];
      return found != nullptr;
    }));
    return found;
  }
  // Runs `task` on the io thread of that index and waits for it.
  void on_thread(unsigned index, Task task) { threads_[index]->run_and_wait(std::move(task)); }

  NetStats stats() const { return server_->stats(); }

  SystemClock clock_;
  Limits limits_;
  ScriptedHandler handler_;
  IoThreads threads_;
  std::unique_ptr<HttpServer> server_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Exchange>> held_;  // under mutex_
};

}  // namespace braidlog::testing
