#include "provider/opaque_blob.h"

#include <gtest/gtest.h>

namespace braidlog::provider {
namespace {

TEST(OpaqueBlob, GoesBackToItsOwnerOnly) {
  const BlobOwner owner{"openai", "https://a/v1"};
  const std::vector<std::string> texts{to_text(owner, {"reasoning", {{"text", "hm"}}}), "nonsense", "{}", "[]",
                                       R"({"provider":"openai","server":"https://a/v1","kind":"x","data":7})"};
  const auto own = blobs_of(owner, texts);
  ASSERT_EQ(own.size(), 1u);
  EXPECT_EQ(own[0].kind, "reasoning");
  EXPECT_EQ(string_in(own[0].data, "text"), "hm");
  EXPECT_TRUE(blobs_of({"openai", "https://b/v1"}, texts).empty());
  EXPECT_TRUE(blobs_of({"anthropic", "https://a/v1"}, texts).empty());
}

}  // namespace
}  // namespace braidlog::provider
