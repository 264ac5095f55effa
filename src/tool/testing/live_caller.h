// Calls tools that ask other servers, on a real io thread, with a server on loopback that says what a test gives it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_client.h"
#include "net/testing/raw_server.h"
#include "port/tool.h"

namespace braidlog::tool::testing {

class LiveCaller {
 public:
  LiveCaller() {
    threads_.push_back(std::make_unique<IoThread>(0, clock_));
    clients_ = HttpClients::make(threads_, Limits{}).value();
    threads_[0]->start();
  }
  ~LiveCaller() {
    on_loop([&] { run_.reset(); });
    threads_[0]->stop();
    threads_[0]->join();
    clients_.reset();
  }

  HttpClients& clients() { return *clients_; }
  Loop& loop() { return *threads_[0]; }
  void on_loop(const std::function<void()>& task) {
    threads_[0]->run_and_wait([&] { task(); });
  }

  // One call at a time.
  void start(Tool& tool, std::string_view args) {
    ToolInvocation invocation;
    invocation.run_id = RunId{{{1}}};
    invocation.call_id = ToolCallId{{{2}}};
    invocation.args = parse_json(args).value();
    const auto fits = tool.check(invocation.args);
    ASSERT_TRUE(fits) << fits.error().message;
    on_loop([&] {
      outcome_.reset();
      run_ = tool.start(std::move(invocation), loop(), [this](ToolOutcome outcome) {
        EXPECT_FALSE(outcome_) << "done came twice";
        outcome_ = std::move(outcome);
        run_.reset();  // as the engine does it
      });
      EXPECT_FALSE(outcome_) << "done came from inside start()";
    });
  }
  ToolOutcome wait() {
    EXPECT_TRUE(::braidlog::testing::eventually([&] {
      bool is_done = false;
      on_loop([&] { is_done = outcome_.has_value(); });
      return is_done;
    }));
    return outcome_.value_or(ToolOutcome::error(ToolStatus::kToolError, "never done"));
  }
  void cancel() {
    on_loop([&] { run_.reset(); });
  }
  bool is_done() {
    bool is_done = false;
    on_loop([&] { is_done = outcome_.has_value(); });
    return is_done;
  }

 private:
  SystemClock clock_;
  IoThreads threads_;
  std::unique_ptr<HttpClients> clients_;
  std::unique_ptr<ToolRun> run_;
  std::optional<ToolOutcome> outcome_;
};

// Takes a request off the connection, body and all, and answers it.
inline std::string answer(::braidlog::testing::RawClient& peer, const std::string& response) {
  std::string said = peer.read_until("\r\n\r\n");
  const auto length = said.find("Content-Length: ");
  if (length != std::string::npos) {
    said += peer.read_bytes(static_cast<std::size_t>(std::atoi(said.c_str() + length + 16)));
  }
  peer.send(response);
  return said;
}

inline std::string http_response(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace braidlog::tool::testing
