// What is not clearly one request is refused on the wire, and nothing after it is taken for one.
#include <gtest/gtest.h>

#include "net/testing/server_fixture.h"

namespace braidlog {
namespace {

struct BadRequest {
  const char* name;
  std::string bytes;
};

std::string with_headers(const std::string& headers) {
  return "POST /x HTTP/1.1\r\n" + headers + "\r\n";
}
std::string with_body(const std::string& chunks) {
  return with_headers("Host: a\r\nTransfer-Encoding: chunked\r\n") + chunks;
}

std::vector<BadRequest> bad_requests() {
  using namespace std::string_literals;
  return {
      {"NoRequestLine", "hello\r\n\r\n"},
      {"NoTarget", "GET HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"TwoSpaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"SpaceInTarget", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"SpaceBeforeMethod", " GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"BadMethod", "GE(T / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"Http09", "GET /\r\n"},
      {"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"},
      {"Http12", "GET / HTTP/1.2\r\nHost: a\r\n\r\n"},
      {"LowerCaseVersion", "GET / http/1.1\r\nHost: a\r\n\r\n"},
      {"Tls", "\x16\x03\x01\x02\x00\x01\x00"s},
      {"ControlInTarget", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"DelInTarget", "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"TabInRequestLine", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"InvalidUtf8InTarget", "GET /\xC0\xAF HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"NulInTarget", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n"s},
      {"AbsoluteFormOfAnotherHost", "GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"AuthorityForm", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"RelativeTarget", "GET x HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"Fragment", "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"BareLfEverywhere", "GET / HTTP/1.1\nHost: a\n\n"},
      {"BareLfInHeaders", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"},
      {"BareCr", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n"},
      {"TwoHosts", with_headers("Host: a\r\nHost: a\r\n")},
      {"HostWithPath", with_headers("Host: a/b\r\n")},
      {"HostList", with_headers("Host: a, b\r\n")},
      {"NoColon", with_headers("Host: a\r\nbroken\r\n")},
      {"EmptyName", with_headers("Host: a\r\n: x\r\n")},
      {"SpaceBeforeColon", with_headers("Host : a\r\n")},
      {"NameWithSpace", with_headers("Host: a\r\nX Y: z\r\n")},
      {"NulInValue", with_headers("Host: a\r\nX: y\0z\r\n"s)},
      {"ControlInValue", with_headers("Host: a\r\nX: y\x02z\r\n")},
      {"Folded", with_headers("Host: a\r\nX: y\r\n z\r\n")},
      {"FoldedFirst", with_headers(" Host: a\r\n")},
      {"FoldedByTab", with_headers("Host: a\r\nX: y\r\n\tz\r\n")},
      {"LengthAndChunked", with_headers("Host: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n")},
      {"ChunkedAndLength", with_headers("Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n")},
      {"TwoLengths", with_headers("Host: a\r\nContent-Length: 4\r\nContent-Length: 5\r\n")},
      {"TwoEqualLengths", with_headers("Host: a\r\nContent-Length: 4\r\nContent-Length: 4\r\n")},
      {"LengthList", with_headers("Host: a\r\nContent-Length: 4, 4\r\n")},
      {"NegativeLength", with_headers("Host: a\r\nContent-Length: -4\r\n")},
      {"SignedLength", with_headers("Host: a\r\nContent-Length: +4\r\n")},
      {"HexLength", with_headers("Host: a\r\nContent-Length: 0x4\r\n")},
      {"EmptyLength", with_headers("Host: a\r\nContent-Length:\r\n")},
      {"HugeLength", with_headers("Host: a\r\nContent-Length: 99999999999999999999\r\n")},
      {"OtherCoding", with_headers("Host: a\r\nTransfer-Encoding: gzip\r\n")},
      {"TwoCodings", with_headers("Host: a\r\nTransfer-Encoding: gzip, chunked\r\n")},
      {"ChunkedTwice", with_headers("Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
      {"ObscuredChunked", with_headers("Host: a\r\nTransfer-Encoding: xchunked\r\n")},
      {"UpperCaseChunked", with_headers("Host: a\r\nTransfer-Encoding: CHUNKED\r\n")},
      {"EmptyCoding", with_headers("Host: a\r\nTransfer-Encoding:\r\n")},
      {"ChunkedInHttp10", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"ChunkSizeWithSign", with_body("+1\r\na\r\n0\r\n\r\n")},
      {"ChunkSizeWithPrefix", with_body("0x1\r\na\r\n0\r\n\r\n")},
      {"ChunkSizeWithSpaceBefore", with_body(" 1\r\na\r\n0\r\n\r\n")},
      {"ChunkSizeWithSpaceAfter", with_body("1 \r\na\r\n0\r\n\r\n")},
      {"ChunkSizeEmpty", with_body("\r\na\r\n0\r\n\r\n")},
      {"ChunkSizeNoHex", with_body("g\r\na\r\n0\r\n\r\n")},
      {"ChunkSizeTooLong", with_body("000000001\r\na\r\n0\r\n\r\n")},
      {"ChunkSizeOverflows", with_body("ffffffffffffffff1\r\na\r\n0\r\n\r\n")},
      {"ChunkWithBareLf", with_body("1\na\r\n0\r\n\r\n")},
      {"ChunkExtensionWithBareLf", with_body("1;x\na\r\n0\r\n\r\n")},
      {"ChunkLongerThanSaid", with_body("1\r\nab\r\n0\r\n\r\n")},
      {"ChunkDataWithoutCr", with_body("1\r\na\n0\r\n\r\n")},
      {"ChunkExtensionTooLong", with_body("1;" + std::string(300, 'x') + "\r\na\r\n0\r\n\r\n")},
      {"TrailerFolded", with_body("0\r\n x: y\r\n\r\n")},
      {"TrailerWithBareLf", with_body("0\r\nx: y\n\r\n")},
  };
}

class StrictnessTest : public testing::ServerTest, public ::testing::WithParamInterface<BadRequest> {};

TEST_P(StrictnessTest, Is400AndClosedAndTheTailIsNoRequest) {
  start();
  auto client = connect();
  client.send(GetParam().bytes + "GET /tail HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto response = client.read_response();
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(response.headers.at("Connection"), "close");
  EXPECT_EQ(response.headers.at("Content-Length"), std::to_string(response.body.size()));
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(handler_.requests, 0);
  EXPECT_EQ(stats().bad_requests, 1U);
  EXPECT_EQ(stats().body_bytes_in_flight, 0);
}

INSTANTIATE_TEST_SUITE_P(Http, StrictnessTest, ::testing::ValuesIn(bad_requests()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace braidlog
