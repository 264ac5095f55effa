#include "net/request_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

namespace braidlog {
namespace {

using State = RequestReader::State;

constexpr std::size_t kHeaderBytesMax = 1024;
constexpr std::size_t kBodyBytesMax = 64;

struct Outcome {
  State state = State::kHead;
  int failure = 0;
  std::size_t taken = 0;
  std::string summary;
};

// Feeds `bytes` in pieces of the given sizes (the last one repeats).
Outcome read(std::string_view bytes, const std::vector<std::size_t>& pieces = {}) {
  RequestReader reader(kHeaderBytesMax);
  Outcome outcome;
  std::size_t piece = 0;
  while (outcome.taken < bytes.size() && reader.state() != State::kComplete && reader.state() != State::kFailed) {
    const std::size_t size = pieces.empty() ? bytes.size() : pieces[std::min(piece++, pieces.size() - 1)];
    std::string_view part = bytes.substr(outcome.taken, std::max<std::size_t>(size, 1));
    while (!part.empty() && reader.state() != State::kComplete && reader.state() != State::kFailed) {
      const std::size_t taken = reader.feed(part);
      part.remove_prefix(taken);
      outcome.taken += taken;
      if (reader.state() == State::kHeadComplete) reader.accept_body(kBodyBytesMax);
    }
  }
  outcome.state = reader.state();
  outcome.failure = reader.failure_status();
  std::ostringstream out;
  out << name_of(reader.request().method) << '|' << reader.request().target << '|' << reader.keep_alive() << '|';
  for (const auto& header : reader.request().headers) out << header.name << '=' << header.value << ',';
  out << '|' << (reader.state() == State::kComplete ? reader.request().body : "");
  outcome.summary = out.str();
  return outcome;
}

int failure_of(std::string_view bytes) {
  const Outcome outcome = read(bytes);
  return outcome.state == State::kFailed ? outcome.failure : 0;
}

TEST(RequestReader, ReadsARequest) {
  const auto outcome =
      read("POST /a%20b?x=1&y=%C3%BC+z HTTP/1.1\r\nHost: h:80\r\nContent-Length: 3\r\nX-Y:  v \r\n\r\nabcGET");
  EXPECT_EQ(outcome.state, State::kComplete);
  EXPECT_EQ(outcome.summary, "POST|/a%20b?x=1&y=%C3%BC+z|1|Host=h:80,Content-Length=3,X-Y=v,|abc");
}

TEST(RequestReader, ReadsChunksAndLeavesTrailersOut) {
  const std::string request =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0A;name=\"v\"\r\n0123456789\r\n0\r\nAuthorization: x\r\n\r\n";
  const auto outcome = read(request + "GET / HTTP/1.1\r\n");
  EXPECT_EQ(outcome.state, State::kComplete);
  EXPECT_EQ(outcome.taken, request.size());
  EXPECT_EQ(outcome.summary, "POST|/|1|Host=h,Transfer-Encoding=chunked,|abc0123456789");
}

TEST(RequestReader, OneEmptyLineBeforeARequestPasses) {
  EXPECT_EQ(read("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").state, State::kComplete);
  EXPECT_EQ(failure_of("\r\n\r\nGET / HTTP/1.1\r\n"), 400);
}

TEST(RequestReader, KeepAliveFollowsVersionAndHeader) {
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").summary,
            "GET|/|0|Host=h,Connection=close,|");
  EXPECT_EQ(read("GET / HTTP/1.0\r\n\r\n").summary, "GET|/|0||");
  EXPECT_EQ(read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").summary, "GET|/|1|Connection=keep-alive,|");
}

TEST(RequestReader, TargetsOfOtherForms) {
  EXPECT_EQ(read("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").summary, "OPTIONS|*|1|Host=h,|");
  EXPECT_EQ(read("GET http://H:1/x?y HTTP/1.1\r\nHost: h:1\r\n\r\n").summary, "GET|/x?y|1|Host=h:1,|");
  EXPECT_EQ(read("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n").summary, "GET|/|1|Host=h,|");
  EXPECT_EQ(read("GET http://h?q HTTP/1.1\r\nHost: h\r\n\r\n").summary, "GET|/?q|1|Host=h,|");
  EXPECT_EQ(read("GET /\xC3\xBC HTTP/1.1\r\nHost: h\r\n\r\n").state, State::kComplete);
  for (const char* target :
       {"*", "x", "http://", "http://evil/", "http://u@h/", "https://h/", "h:80", "/a#b", "/\xFF"}) {
    EXPECT_EQ(failure_of("GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n"), 400) << target;
  }
}

TEST(RequestReader, LimitsOfTheHead) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
  const std::string fits = begin + std::string(kHeaderBytesMax - begin.size() - 4, 'x') + "\r\n\r\n";
  EXPECT_EQ(read(fits).state, State::kComplete);
  EXPECT_EQ(failure_of(begin + std::string(kHeaderBytesMax - begin.size() - 3, 'x') + "\r\n\r\n"), 431);
  EXPECT_EQ(failure_of("GET /" + std::string(kHeaderBytesMax, 'x')), 431);
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 128; ++i) many += "a:\r\n";
  EXPECT_EQ(failure_of(many + "\r\n"), 431);
}

TEST(RequestReader, AFieldThatTheParserCannotHoldIsRefused) {
  RequestReader reader(200'000);
  reader.feed("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(70'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(reader.state(), State::kFailed);
  EXPECT_EQ(reader.failure_status(), 400);
}

TEST(RequestReader, LimitsOfTheBody) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(failure_of(head + "Content-Length: 65\r\n\r\n"), 413);
  EXPECT_EQ(failure_of(head + "Content-Length: 999999999999999999\r\n\r\n"), 413);
  EXPECT_EQ(failure_of(head + "Transfer-Encoding: chunked\r\n\r\n41\r\n"), 413);
  EXPECT_EQ(failure_of(head + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n40\r\n"), 413);
  EXPECT_EQ(failure_of(head + "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n"), 413);
  const std::string full(64, 'b');
  EXPECT_EQ(read(head + "Transfer-Encoding: chunked\r\n\r\n40\r\n" + full + "\r\n0\r\n\r\n").state, State::kComplete);
  EXPECT_EQ(read(head + "Content-Length: 64\r\n\r\n" + full).state, State::kComplete);
}

TEST(RequestReader, AFailureTellsWhatWasAskedFor) {
  const auto outcome = read("PUT /api/v1/x?y=1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  EXPECT_EQ(outcome.failure, 400);
  EXPECT_TRUE(outcome.summary.starts_with("PUT|/api/v1/x?y=1|"));
}

TEST(RequestReader, WhatComesOutDoesNotDependOnTheSplit) {
  rc::check("splits", [] {
    const auto request = *rc::gen::element<std::string>(
        "POST /p HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5;e\r\nhello\r\n1\r\n!\r\n0\r\nT: "
        "x\r\n\r\nGET",
        "POST /p HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhelloGET /", "GET / HTTP/1.1\nHost: h\n\n",
        "\r\nGET / HTTP/1.1\r\nHost: h\r\nX: \r\n\r\n", "GET / HTTP/1.1\r\n folded: x\r\n\r\n");
    std::string bytes = request;
    if (*rc::gen::arbitrary<bool>()) {
      const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
      bytes[at] = *rc::gen::arbitrary<char>();
    }
    const auto pieces =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 20)));
    const auto whole = read(bytes), split = read(bytes, pieces);
    RC_ASSERT(whole.state == split.state);
    RC_ASSERT(whole.failure == split.failure);
    RC_ASSERT(whole.taken == split.taken);
    RC_ASSERT(whole.summary == split.summary);
  });
}

TEST(RequestReader, ChunkedBodiesReadBack) {
  rc::check("round trip", [] {
    const auto body = *rc::gen::resize(static_cast<int>(kBodyBytesMax), rc::gen::string<std::string>());
    RC_PRE(body.size() <= kBodyBytesMax);
    std::ostringstream out;
    out << "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" << std::hex;
    for (std::size_t at = 0; at < body.size();) {
      const auto size = *rc::gen::inRange<std::size_t>(1, body.size() - at + 1);
      out << size << "\r\n" << body.substr(at, size) << "\r\n";
      at += size;
    }
    out << "0\r\n\r\n";
    const auto outcome = read(out.str());
    RC_ASSERT(outcome.state == State::kComplete);
    RC_ASSERT(outcome.summary.ends_with("|" + body));
  });
}

}  // namespace
}  // namespace braidlog
