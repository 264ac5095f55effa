// An HTTP client that sends nothing: the test is the server.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "net/http_client.h"

namespace braidlog::provider::testing {

class FakeHead final : public ResponseHead {
 public:
  explicit FakeHead(int status, std::map<std::string, std::string> headers = {})
      : status_(status), headers_(std::move(headers)) {}
  int status() const override { return status_; }
  std::string_view header(const char* name) const override {
    const auto found = headers_.find(name);
    return found == headers_.end() ? std::string_view{} : std::string_view(found->second);
  }

 private:
  int status_;
  std::map<std::string, std::string> headers_;  // by names in lower case
};

class FakeHttpClient final : public HttpClient {
 public:
  std::unique_ptr<HttpCall> send(OutgoingRequest request, HttpCallSink& sink) override {
    requests.push_back(std::move(request));
    sink_ = &sink;
    return std::make_unique<Call>(*this, ++newest_);
  }

  // A call is open: its connection is not closed.
  bool is_open() const { return sink_ != nullptr; }
  void head(int status, std::map<std::string, std::string> headers = {}) {
    headers.try_emplace("content-type", "text/event-stream");
    ASSERT_NE(sink_, nullptr);
    sink_->on_head(FakeHead(status, std::move(headers)));
  }
  void body(std::string_view bytes) {
    if (sink_ != nullptr) sink_->on_bytes(bytes);
  }
  void done(CallEnd end = CallEnd::kComplete) {
    if (sink_ != nullptr) sink_->on_done(end);
  }

  std::vector<OutgoingRequest> requests;

 private:
  struct Call final : HttpCall {
    Call(FakeHttpClient& c, int n) : client(c), number(n) {}
    ~Call() override {
      if (client.newest_ == number) client.sink_ = nullptr;
    }
    FakeHttpClient& client;
    int number;
  };
  HttpCallSink* sink_ = nullptr;  // of the newest call; null once that is gone
  int newest_ = 0;
};

}  // namespace braidlog::provider::testing
