// One connection, request by request: keep-alive, pipelining, bodies, limits, draining.
#include "net/http_server.h"

#include <gtest/gtest.h>

#include <deque>

#include "net/testing/server_fixture.h"

namespace braidlog {
namespace {

using testing::eventually;
using testing::RawClient;
using testing::ServerTest;

class HttpServerTest : public ServerTest {};

TEST_F(HttpServerTest, KeepsAConnectionOpenAndAnswersInOrder) {
  start();
  auto client = connect();
  for (int i = 0; i < 3; ++i) {
    const auto response = ask(client, "/" + std::to_string(i));
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "GET /" + std::to_string(i) + " ");
    EXPECT_EQ(response.headers.at("Content-Length"), std::to_string(response.body.size()));
    EXPECT_EQ(response.headers.at("Date").size(), 29U);
    EXPECT_FALSE(response.headers.contains("Connection"));
  }
  EXPECT_EQ(stats().connections_accepted, 1U);
  EXPECT_EQ(stats().requests, 3U);
  client.close();
  EXPECT_TRUE(eventually([&] { return stats().connections_open == 0; }));
}

TEST_F(HttpServerTest, EveryRequestHasAnIdOfItsOwn) {
  RequestId of_head;
  handler_.head_script = [&](const HttpRequest& head) {
    of_head = head.id;
    return HeadDecision(TakeBody{100});
  };
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    EXPECT_EQ(exchange->request().id, of_head);
    exchange->respond(HttpResponse::json(200, to_prefixed(exchange->request().id)));
  };
  start();
  auto client = connect();
  const std::string first = ask(client, "/").body, second = ask(client, "/").body;
  EXPECT_TRUE(first.starts_with("req_0")) << first;
  EXPECT_LT(first, second);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  auto client = connect();
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
  client.send(all);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(client.read_response().body, "POST /" + std::to_string(i) + " hi");
}

TEST_F(HttpServerTest, PipelinedRequestsWaitForALateAnswer) {
  hold_requests();
  start();
  auto client = connect();
  client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  auto first = held(0);
  client.send("GET /3 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(handler_.requests, 1);
  on_thread(0, [&] { first->respond(HttpResponse::json(200, "one")); });
  EXPECT_EQ(client.read_response().body, "one");
  auto second = held(1);
  on_thread(0, [&] {
    first->respond(HttpResponse::json(200, "stale"));  // over: does nothing to the request that is open now
    second->respond(HttpResponse::json(200, "two"));
  });
  EXPECT_EQ(client.read_response().body, "two");
  auto third = held(2);
  EXPECT_EQ(third->request().target, "/3");
  on_thread(0, [&] { third->respond(HttpResponse::json(200, "three")); });
  EXPECT_EQ(client.read_response().body, "three");
}

TEST_F(HttpServerTest, PipeliningWithoutReadingIsBounded) {
  const std::string big(256 * 1024, 'x');
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    exchange->respond(HttpResponse::json(200, big));
  };
  start();
  auto client = connect(4096);
  std::string all;
  for (int i = 0; i < 300; ++i) all += "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send(all);
  ASSERT_EQ(client.read_response().body, big);
  EXPECT_LT(handler_.requests, 200);  // the rest waits until the client reads
  for (int i = 1; i < 300; ++i) ASSERT_EQ(client.read_response().body.size(), big.size());
}

TEST_F(HttpServerTest, HeadHasNoBodyAnd204NoLength) {
  handler_.request_script = [](std::shared_ptr<Exchange> exchange) {
    exchange->respond(exchange->request().path == "/none" ? HttpResponse::empty(204) : HttpResponse::json(200, "body"));
  };
  start();
  auto client = connect();
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_response(true).headers.at("Content-Length"), "4");
  const auto none = ask(client, "/none");
  EXPECT_EQ(none.status, 204);
  EXPECT_FALSE(none.headers.contains("Content-Length"));
  EXPECT_EQ(ask(client, "/").body, "body");
}

TEST_F(HttpServerTest, CloseIsHonoured) {
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(client.read_response().headers.at("Connection"), "close");
  EXPECT_TRUE(client.at_end());

  auto old = connect();
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.read_response().headers.at("Connection"), "close");
  EXPECT_TRUE(old.at_end());

  auto lasting = connect();
  for (int i = 0; i < 2; ++i) {
    lasting.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(lasting.read_response().headers.at("Connection"), "keep-alive");
  }
}

TEST_F(HttpServerTest, AnswersAClientThatHasShutItsSide) {
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  client.shut_write();
  EXPECT_EQ(client.read_response().status, 200);
}

TEST_F(HttpServerTest, TextOfAClientCannotSplitTheResponse) {
  handler_.request_script = [](std::shared_ptr<Exchange> exchange) {
    auto response = HttpResponse::json(200, "");
    response.set("X-Text", "a\r\nSet-Cookie: b");
    response.set("Content-Length", "99");
    exchange->respond(std::move(response));
  };
  start();
  auto client = connect();
  const auto response = ask(client, "/");
  EXPECT_EQ(response.headers.at("X-Text"), "a  Set-Cookie: b");
  EXPECT_EQ(response.headers.at("Content-Length"), "0");
}

TEST_F(HttpServerTest, BodiesOverTheirLimitAreRefusedBeforeTheyAreRead) {
  start();
  auto known = connect();
  known.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1025\r\n\r\n");
  const auto response = known.read_response();
  EXPECT_EQ(response.status, 413);
  EXPECT_EQ(response.body, "{\"status\":413,\"path\":\"/x\"}");
  EXPECT_EQ(response.headers.at("Connection"), "close");
  EXPECT_TRUE(known.at_end());

  auto chunked = connect();
  chunked.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n400\r\n" + std::string(1024, 'x') +
               "\r\n1\r\n");
  EXPECT_EQ(chunked.read_response().status, 413);
  EXPECT_TRUE(chunked.at_end());
  EXPECT_EQ(handler_.requests, 0);
}

TEST_F(HttpServerTest, AClientThatSendsOnStillReadsItsRefusal) {
  start();
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n");
  client.send(std::string(8'000'000, 'x'));
  EXPECT_EQ(client.read_response().status, 413);
  EXPECT_TRUE(client.at_end());
}

TEST_F(HttpServerTest, HeadOverItsLimitIs431) {
  limits_.header_bytes_max = 512;
  start();
  auto client = connect();
  client.send("GET /x HTTP/1.1\r\nHost: a\r\nX: " + std::string(600, 'x'));
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 431);
  EXPECT_EQ(response.body, "{\"status\":431,\"path\":\"/x\"}");
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(handler_.heads, 0);
}

TEST_F(HttpServerTest, TheHandlerMayRefuseAHead) {
  handler_.head_script = [](const HttpRequest&) { return HeadDecision(HttpResponse::json(401, "no")); };
  start();
  auto client = connect();
  EXPECT_EQ(ask(client, "/").status, 401);
  EXPECT_EQ(ask(client, "/").status, 401);  // without a body the connection goes on
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(response.headers.at("Connection"), "close");
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(handler_.requests, 0);
}

TEST_F(HttpServerTest, ContinueComesOnlyAfterTheHeadIsAccepted) {
  start();
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hi");
  EXPECT_EQ(client.read_response().body, "POST / hi");
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_response().status, 413);
}

TEST_F(HttpServerTest, BodiesInFlightHaveABudget) {
  limits_.bodies_in_flight_bytes_max = 1000;
  start();
  auto first = connect();
  first.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\n" + std::string(800, 'x'));
  EXPECT_TRUE(eventually([&] { return stats().body_bytes_in_flight == 800; }));
  auto second = connect();
  second.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n");
  EXPECT_EQ(second.read_response().status, 503);
  auto third = connect();
  third.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n12c\r\n" + std::string(300, 'x'));
  EXPECT_EQ(third.read_response().status, 503);
  first.send(std::string(100, 'x'));
  EXPECT_EQ(first.read_response().status, 200);
  EXPECT_TRUE(eventually([&] { return stats().body_bytes_in_flight == 0; }));
}

TEST_F(HttpServerTest, OneConnectionTooManyGets503) {
  limits_.connections_max = 2;
  start(2);
  auto first = connect(), second = connect();
  EXPECT_EQ(ask(first, "/").status, 200);
  EXPECT_EQ(ask(second, "/").status, 200);
  auto third = connect();
  EXPECT_EQ(third.read_response().status, 503);
  EXPECT_TRUE(third.at_end());
  third.close();
  first.close();
  EXPECT_TRUE(eventually([&] { return stats().connections_open == 1; }));
  auto fourth = connect();
  EXPECT_EQ(ask(fourth, "/").status, 200);
}

TEST_F(HttpServerTest, TooManyToRefuseProperlyAreRefusedAtOnce) {
  limits_.connections_max = 0;
  start();
  std::deque<RawClient> clients;
  for (int i = 0; i < 24; ++i) {
    auto& client = clients.emplace_back(server_->port());
    EXPECT_EQ(client.read_response().status, 503);
  }
  EXPECT_LE(stats().connections_open, 16);
}

TEST_F(HttpServerTest, ASecondServerOnThePortFailsClearly) {
  start();
  HttpServer second(threads_, handler_, limits_);
  const auto status = second.listen("127.0.0.1", server_->port());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(status.error().message,
            "cannot listen on 127.0.0.1:" + std::to_string(server_->port()) + ": Address already in use");
  EXPECT_FALSE(second.listen("no such host", 0));
}

TEST_F(HttpServerTest, StopAcceptingClosesIdleOnesAndTellsTheOthers) {
  hold_requests();
  start(2);
  auto busy = connect();
  busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto exchange = held();
  auto idle = connect();
  EXPECT_TRUE(eventually([&] { return stats().connections_open == 2; }));
  server_->stop_accepting();
  EXPECT_TRUE(idle.at_end());
  on_thread(exchange->loop().index(), [&] { exchange->respond(HttpResponse::json(200, "")); });
  EXPECT_EQ(busy.read_response().headers.at("Connection"), "close");
  EXPECT_TRUE(busy.at_end());
  EXPECT_TRUE(eventually([&] { return !connect().connected(); }));
}

TEST_F(HttpServerTest, HearsThatAClientWentBeforeItsAnswer) {
  std::atomic<int> gone{0};
  handler_.request_script = [&](std::shared_ptr<Exchange> exchange) {
    exchange->on_gone([&gone] { ++gone; });
    hold(std::move(exchange));
  };
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  auto exchange = held();
  client.close();
  EXPECT_TRUE(eventually([&] { return gone == 1; }));
  EXPECT_EQ(stats().connections_open, 0);
  on_thread(0, [&] { exchange->on_gone([&gone] { ++gone; }); });
  EXPECT_TRUE(eventually([&] { return gone == 2; })) << "who asks late is told as well";
  testing::RecordingObserver observer;
  on_thread(0, [&] {
    exchange->begin_stream(HttpResponse::empty(200), "", "x", observer);  // harmless, and the observer hears of it
    exchange->send("y");
  });
  EXPECT_TRUE(eventually([&] { return observer.closed == 1; }));
  EXPECT_EQ(gone, 2);
}

TEST_F(HttpServerTest, ARequestThatNobodyHoldsIsClosed) {
  limits_.idle_timeout = std::chrono::milliseconds(40);
  handler_.request_script = [](std::shared_ptr<Exchange>) {};
  start();
  auto client = connect();
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.read_to_end(), "");
}

}  // namespace
}  // namespace braidlog
