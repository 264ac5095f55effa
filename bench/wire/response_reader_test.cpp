#include "wire/response_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bench {
namespace {

struct Bodies : ResponseReader::Sink {
  void on_body(std::string_view piece) override { open.append(piece); }
  void on_end() override {
    done.push_back(open);
    open.clear();
  }

  std::string open;
  std::vector<std::string> done;
};

TEST(ResponseReader, GivesTheSameBodiesWhereverTheBytesAreCut) {
  const std::string bytes =
      "HTTP/1.1 202 Accepted\r\ncontent-length: 5\r\n\r\nhello"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\n0123456789\r\n3\r\nabc\r\n0\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Bodies bodies;
    ResponseReader reader(bodies);
    ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(0, cut)));
    ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(cut)));
    EXPECT_EQ(bodies.done, (std::vector<std::string>{"hello", "0123456789abc", ""})) << "cut at " << cut;
  }
}

TEST(ResponseReader, RefusesWhatIsNoResponse) {
  Bodies bodies;
  EXPECT_FALSE(ResponseReader(bodies).feed("nonsense\r\n\r\n"));
  EXPECT_FALSE(ResponseReader(bodies).feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"));
}

}  // namespace
}  // namespace bench
