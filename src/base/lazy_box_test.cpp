#include "base/lazy_box.h"

#include <gtest/gtest.h>

#include <string>

namespace braidlog {
namespace {

TEST(LazyBox, ReadsAsTheDefaultUntilItIsTouched) {
  LazyBox<std::string> box;
  EXPECT_EQ(*box, "");
  EXPECT_TRUE(box->empty());
  EXPECT_FALSE(box.is_touched());
  box.touch() = "something";
  EXPECT_TRUE(box.is_touched());
  EXPECT_EQ(*box, "something");
}

TEST(LazyBox, CopiesAreApartAndWhatWasMovedFromIsTheDefault) {
  LazyBox<std::string> box{"one"};
  LazyBox<std::string> copy = box;
  copy.touch() += " and two";
  EXPECT_EQ(*box, "one");
  const LazyBox<std::string> moved = std::move(box);
  EXPECT_EQ(*moved, "one");
  EXPECT_EQ(*box, "");  // NOLINT: that is the promise
  copy = {};
  EXPECT_FALSE(copy.is_touched());
}

}  // namespace
}  // namespace braidlog
