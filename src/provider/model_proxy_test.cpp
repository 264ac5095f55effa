// A model behind a proxy of the environment, with real sockets: what is on the wire and what is not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "net/testing/raw_server.h"
#include "provider/model_choice.h"
#include "provider/testing/recording_sink.h"

namespace braidlog::provider {
namespace {

using ::braidlog::testing::eventually;
using ::braidlog::testing::RawServer;

class ModelProxyTest : public ::testing::Test {
 protected:
  ModelProxyTest() {
    ::setenv("http_proxy", proxy_.url("").c_str(), 1);
    ::setenv("no_proxy", "127.0.0.1,localhost", 1);
    threads_.push_back(std::make_unique<IoThread>(0, clock_));
    clients_ = std::move(*HttpClients::make(threads_, limits_));
    servers_ = std::make_unique<ModelServers>(*clients_, limits_);
    threads_[0]->start();
  }
  ~ModelProxyTest() override {
    threads_[0]->run_and_wait([&] { call_.reset(); });
    threads_[0]->stop();
    threads_[0]->join();
    ::unsetenv("http_proxy");
    ::unsetenv("no_proxy");
  }

  void ask(const std::map<std::string, std::string>& variables) {
    const auto environment = [variables](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    auto model = choose_model({}, {*servers_, environment, std::nullopt});
    ASSERT_TRUE(model) << model.error().message;
    model_ = *model;
    ModelRequest request;
    request.messages.push_back({.role = ModelMessage::Role::kUser, .text = "Hi"});
    threads_[0]->run_and_wait([&] { call_ = model_->start(request, sink_, *threads_[0]); });
  }
  bool is_finished() {
    return eventually([&] {
      bool ended = false;
      threads_[0]->run_and_wait([&] { ended = sink_.ended(); });
      return ended;
    });
  }
  // The head of the request that comes to `server`, which is then answered.
  static std::string serve(RawServer& server, const std::string& events) {
    auto peer = server.accept();
    std::string head = peer.read_until("\r\n\r\n");
    peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" + events);
    peer.shut_write();
    return head;
  }

  static constexpr const char* kChatAnswer =
      "data: {\"choices\":[{\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

  RawServer proxy_;
  SystemClock clock_;
  Limits limits_;
  IoThreads threads_;
  std::unique_ptr<HttpClients> clients_;
  std::unique_ptr<ModelServers> servers_;
  testing::RecordingSink sink_;
  std::shared_ptr<Model> model_;
  std::unique_ptr<ModelCall> call_;
};

TEST_F(ModelProxyTest, TheProxyOfTheEnvironmentIsAsked) {
  ask({{"OPENAI_BASE_URL", "http://model.invalid/v1"}, {"OPENAI_API_KEY", "k"}});
  const std::string head = serve(proxy_, kChatAnswer);
  EXPECT_TRUE(head.starts_with("POST http://model.invalid/v1/chat/completions HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("Authorization: Bearer k\r\n"), std::string::npos);
  ASSERT_TRUE(is_finished());
  EXPECT_EQ(sink_.text, "hello");
  EXPECT_TRUE(sink_.finished);
}

TEST_F(ModelProxyTest, WhatNoProxyNamesIsAskedDirectly) {
  RawServer server;
  ask({{"ANTHROPIC_BASE_URL", server.url("")}, {"ANTHROPIC_API_KEY", "k"}});
  const std::string head = serve(
      server,
      "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n"
      "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: "
      "{\"type\":\"message_stop\"}\n\n");
  EXPECT_TRUE(head.starts_with("POST /v1/messages HTTP/1.1\r\n")) << head;
  EXPECT_NE(head.find("x-api-key: k\r\n"), std::string::npos);
  EXPECT_NE(head.find("anthropic-version: 2023-06-01\r\n"), std::string::npos);
  ASSERT_TRUE(is_finished());
  EXPECT_EQ(sink_.text, "hello");
  EXPECT_FALSE(proxy_.has_connection());
}

}  // namespace
}  // namespace braidlog::provider
