#include "net/response_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

namespace braidlog {
namespace {

using Step = ResponseReader::Step;

struct Outcome {
  Step last = Step::kMore;
  std::string head, body;  // "status|type" of each head that was told
  std::size_t pieces = 0;
  std::size_t left = 0;  // bytes that are not the answer's
  bool keeps = false, ends_with_close = false;

  // All but the number of pieces, which depends on how the bytes came.
  std::string summary() const {
    std::ostringstream out;
    out << static_cast<int>(last) << '|' << head << '|' << body << '|' << left << keeps << ends_with_close;
    return out.str();
  }
};

// Feeds `bytes` in pieces of the given sizes (the last one repeats).
Outcome read(std::string bytes, const std::vector<std::size_t>& sizes = {}, bool is_for_head = false) {
  ResponseReader reader;
  reader.begin(is_for_head);
  Outcome outcome;
  std::size_t at = 0, number = 0;
  do {
    const std::size_t size = sizes.empty() ? bytes.size() : sizes[std::min(number++, sizes.size() - 1)];
    std::span<char> part = std::span(bytes).subspan(at, std::min(size, bytes.size() - at));
    at += part.size();
    while ((outcome.last = reader.next(part)) == Step::kHead || outcome.last == Step::kPiece) {
      if (outcome.last == Step::kHead) {
        outcome.head +=
            std::to_string(reader.head().status()) + ":" + std::string(reader.head().header("Content-Type"));
      } else {
        outcome.body += reader.piece();
        ++outcome.pieces;
      }
    }
    outcome.left = part.size() + bytes.size() - at;
  } while (at < bytes.size() && outcome.last == Step::kMore);
  if (outcome.last == Step::kBad) outcome.left = 0;  // how much of nonsense was read does not matter
  outcome.keeps = outcome.last == Step::kComplete && reader.keeps_connection();
  outcome.ends_with_close = reader.ends_with_close();
  return outcome;
}

constexpr const char* kChunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(ResponseReader, ManySmallChunksAreOnePiece) {
  std::string answer = kChunkedHead, body;
  for (int i = 0; i < 200; ++i) {
    const std::string event = "data: {\"token\":" + std::to_string(i) + "}\n\n";
    std::ostringstream size;
    size << std::hex << event.size();
    answer += size.str() + "\r\n" + event + "\r\n";
    body += event;
  }
  const auto outcome = read(answer + "0\r\n\r\n");
  EXPECT_EQ(outcome.last, Step::kComplete);
  EXPECT_EQ(outcome.body, body);
  EXPECT_EQ(outcome.pieces, 1u);
  EXPECT_TRUE(outcome.keeps);
}

TEST(ResponseReader, WhatFollowsAnAnswerIsLeft) {
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP").left, 4u);
  EXPECT_EQ(read(std::string(kChunkedHead) + "2\r\nok\r\n0\r\nT: x\r\n\r\nmore").left, 4u);
  EXPECT_EQ(read("HTTP/1.1 204 No\r\n\r\nmore").left, 4u);
}

TEST(ResponseReader, ToHeadThereIsNoBody) {
  const auto outcome = read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", {}, true);
  EXPECT_EQ(outcome.last, Step::kComplete);
  EXPECT_TRUE(outcome.keeps);
}

TEST(ResponseReader, WhatIsNotClearlyOneThingIsBad) {
  for (const char* answer : {
           "HTTP/1.1 101 Switching Protocols\r\n\r\n",
           "HTTP/2 200\r\n\r\n",
           "HTTP/1.1 20 OK\r\n\r\n",
           "HTTP/1.1 2000\r\n\r\n",
           "HTTP/1.1 099 OK\r\n\r\n",
           "HTTP/1.1  200 OK\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
           "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
           "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
           "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
           "HTTP/1.1 200 OK\r\n: b\r\n\r\n",
           "HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n",
           "\r\nHTTP/1.1 200 OK\r\n\r\n",
           "http/1.1 200 OK\r\n\r\n",
       }) {
    const auto outcome = read(answer);
    EXPECT_EQ(outcome.last, Step::kBad) << answer;
    EXPECT_EQ(outcome.head, "") << answer;
  }
  for (const char* chunks : {"\r\n", "g\r\n", "2\nok", "2 \r\nok\r\n", "-1\r\n", "2\r\nokk", "123456789\r\n"}) {
    EXPECT_EQ(read(std::string(kChunkedHead) + chunks).last, Step::kBad) << chunks;
  }
}

TEST(ResponseReader, NoiseIsKnownByItsFirstByte) {
  EXPECT_EQ(read("X").last, Step::kBad);
  EXPECT_EQ(read("HTTP/1.").last, Step::kMore);
}

TEST(ResponseReader, HeadsHaveALimitAllTogether) {
  const auto head_of = [](std::size_t bytes) {
    const std::string begin = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ", end = "\r\n\r\n";
    return begin + std::string(bytes - begin.size() - end.size(), 'x') + end;
  };
  EXPECT_EQ(read(head_of(ResponseReader::kHeadBytesMax)).last, Step::kComplete);
  EXPECT_EQ(read(head_of(ResponseReader::kHeadBytesMax), {1000}).last, Step::kComplete);
  EXPECT_EQ(read(head_of(ResponseReader::kHeadBytesMax + 1)).last, Step::kBad);
  EXPECT_EQ(read(head_of(ResponseReader::kHeadBytesMax + 1), {1000}).last, Step::kBad);
  std::string endless;
  while (endless.size() <= ResponseReader::kHeadBytesMax) endless += "HTTP/1.1 102 Wait\r\n\r\n";
  EXPECT_EQ(read(endless).last, Step::kBad);
}

TEST(ResponseReader, TheNextAnswerBeginsAnew) {
  ResponseReader reader;
  for (std::string answer : {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
                             "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}) {
    reader.begin(false);
    std::span<char> bytes(answer);
    EXPECT_EQ(reader.next(bytes), Step::kHead);
    EXPECT_EQ(reader.next(bytes), Step::kComplete);
    EXPECT_TRUE(reader.keeps_connection());
  }
}

const std::string kAnswers[] = {
    std::string(kChunkedHead) + "5;e\r\nhello\r\n1\r\n!\r\n10\r\n0123456789abcdef\r\n0\r\nT: x\r\n\r\nHTTP",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 No\r\nContent-Type: a/b\r\nContent-Length: 5\r\n\r\nhelloHTTP",
    "HTTP/1.0 200 OK\nContent-Type: x\n\nuntil\r\n\r\nthe end",
    "HTTP/1.1 204 No\r\nContent-Type: y\r\nConnection: close\r\n\r\n",
    std::string(kChunkedHead) + "2\r\nok\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\nA\r\n\r\n",
};

TEST(ResponseReader, SplitAtEveryByte) {
  for (const auto& answer : kAnswers) {
    const auto whole = read(answer).summary();
    EXPECT_EQ(read(answer, {1}).summary(), whole) << answer;
    for (std::size_t at = 1; at < answer.size(); ++at) {
      EXPECT_EQ(read(answer, {at, answer.size()}).summary(), whole) << answer << "\nat " << at;
    }
  }
}

TEST(ResponseReader, SplitsAndSlipsOfThePen) {
  rc::check("the same in any pieces", [] {
    std::string bytes = *rc::gen::elementOf(std::vector<std::string>(std::begin(kAnswers), std::end(kAnswers)));
    for (int slips = *rc::gen::inRange(0, 3); slips > 0; --slips) {
      bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::element('\r', '\n', ':', '0', 'f', ' ', 'x');
    }
    const auto sizes =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 20)));
    RC_ASSERT(read(bytes, sizes).summary() == read(bytes).summary());
  });
}

TEST(ResponseReader, ChunkedBodiesReadBack) {
  rc::check("round trip", [] {
    const auto body = *rc::gen::string<std::string>();
    std::ostringstream out;
    out << kChunkedHead << std::hex;
    for (std::size_t at = 0; at < body.size();) {
      const auto size = *rc::gen::inRange<std::size_t>(1, body.size() - at + 1);
      out << size << "\r\n" << body.substr(at, size) << "\r\n";
      at += size;
    }
    out << "0\r\n\r\n";
    const auto outcome = read(out.str());
    RC_ASSERT(outcome.last == Step::kComplete);
    RC_ASSERT(outcome.body == body);
  });
}

}  // namespace
}  // namespace braidlog
