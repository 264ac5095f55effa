#include "load_client/frame_splitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bench {
namespace {

TEST(FrameSplitter, FindsTheSameFramesWhereverTheBytesAreCut) {
  const std::string bytes = "event: a\ndata: 1\n\n: keepalive\n\ndata: 2\n\ndata: open";
  const std::vector<std::string> frames = {"event: a\ndata: 1\n\n", ": keepalive\n\n", "data: 2\n\n"};
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    for (std::size_t second = first; second <= bytes.size(); ++second) {
      FrameSplitter splitter;
      std::vector<std::string> found;
      const auto collect = [&](std::string_view frame) { found.emplace_back(frame); };
      splitter.feed(std::string_view(bytes).substr(0, first), collect);
      splitter.feed(std::string_view(bytes).substr(first, second - first), collect);
      splitter.feed(std::string_view(bytes).substr(second), collect);
      EXPECT_EQ(found, frames) << "cut at " << first << " and " << second;
    }
  }
}

}  // namespace
}  // namespace bench
