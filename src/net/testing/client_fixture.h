// A client on a thread of its own and a server that says what a test gives it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/http_client.h"
#include "net/testing/raw_server.h"

namespace braidlog::testing {

// What a call brought. Touched on the loop only.
struct Recorded final : HttpCallSink {
  void on_head(const ResponseHead& head) override {
    status = head.status();
    content_type = head.header("Content-Type");
    absent = head.header("x-absent");
    ++heads;
    if (head_script) head_script();
  }
  void on_bytes(std::string_view bytes) override {
    EXPECT_EQ(heads, 1);
    EXPECT_FALSE(end);
    body += bytes;
    if (bytes_script) bytes_script();
  }
  void on_done(CallEnd how) override {
    EXPECT_FALSE(end);
    end = how;
    if (done_script) done_script();
  }

  int heads = 0, status = 0;
  std::string content_type, absent = "x", body;
  std::optional<CallEnd> end;
  std::function<void()> head_script, bytes_script, done_script;
};

class HttpClientTest : public ::testing::Test {
 protected:
  explicit HttpClientTest(HttpClients::Kind kind = HttpClients::Kind::kChosenByRequest) : kind_(kind) {
    limits_.upstream_connect_timeout = std::chrono::milliseconds(300);
    threads_.push_back(std::make_unique<IoThread>(0, clock_));
    open();
    threads_[0]->start();
  }
  ~HttpClientTest() override {
    on_loop([&] { calls_.clear(); });
    threads_[0]->stop();
    threads_[0]->join();
    clients_.reset();
  }

  void open() {
    auto made = HttpClients::make(threads_, limits_, kind_);
    ASSERT_TRUE(made) << made.error().message;
    clients_ = std::move(*made);
  }

  void on_loop(const std::function<void()>& task) {
    threads_[0]->run_and_wait([&] { task(); });
  }
  template <class T>
  T look(const std::function<T()>& task) {
    T value{};
    on_loop([&] { value = task(); });
    return value;
  }

  // On the loop.
  virtual std::unique_ptr<HttpCall> start(OutgoingRequest request, HttpCallSink& sink) {
    return clients_->on(*threads_[0]).send(std::move(request), sink);
  }

  std::size_t send(OutgoingRequest request, Recorded& sink) {
    std::size_t number = 0;
    on_loop([&] {
      number = calls_.size();
      calls_.push_back(start(std::move(request), sink));
      EXPECT_EQ(sink.heads, 0);
      EXPECT_FALSE(sink.end);
    });
    return number;
  }
  std::size_t send(const std::string& url, Recorded& sink) {
    return send(OutgoingRequest{.url = url, .body = "{}"}, sink);
  }
  void drop(std::size_t call) {
    on_loop([&] { calls_[call].reset(); });
  }

  std::optional<CallEnd> wait_end(const Recorded& sink) {
    EXPECT_TRUE(eventually([&] { return look<bool>([&] { return sink.end.has_value(); }); }));
    return look<std::optional<CallEnd>>([&] { return sink.end; });
  }
  bool wait_body(const Recorded& sink, const std::string& body) {
    return eventually([&] { return look<bool>([&] { return sink.body == body; }); });
  }

  // Takes a request off the connection and answers it.
  static std::string answer(RawClient& peer, const std::string& response) {
    std::string head = peer.read_until("\r\n\r\n");
    const auto length = head.find("Content-Length: ");
    if (length != std::string::npos) {
      head += peer.read_bytes(static_cast<std::size_t>(std::atoi(head.c_str() + length + 16)));
    }
    peer.send(response);
    return head;
  }

  const HttpClients::Kind kind_;
  Limits limits_;
  SystemClock clock_;
  IoThreads threads_;
  std::unique_ptr<HttpClients> clients_;
  std::vector<std::unique_ptr<HttpCall>> calls_;
  RawServer server_;
};

// What is true of both clients: with libcurl alone, and with the one that takes plain http from it.
class BothClientsTest : public HttpClientTest, public ::testing::WithParamInterface<HttpClients::Kind> {
 protected:
  BothClientsTest() : HttpClientTest(GetParam()) {}
};

inline auto both_clients() {
  return ::testing::Values(HttpClients::Kind::kGeneralOnly, HttpClients::Kind::kChosenByRequest);
}
inline std::string name_of_client(const ::testing::TestParamInfo<HttpClients::Kind>& info) {
  return info.param == HttpClients::Kind::kGeneralOnly ? "libcurl" : "plain";
}

}  // namespace braidlog::testing
