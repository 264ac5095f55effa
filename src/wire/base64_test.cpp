#include "wire/base64.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "wire/testing/encode_base64.h"

namespace braidlog {
namespace {

TEST(Base64, TheVectorsOfTheRfc) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(decode_base64(text), bytes) << text;
    EXPECT_EQ(base64_decoded_size(text), std::string_view(bytes).size()) << text;
    EXPECT_EQ(testing::encode_base64(bytes), text);
  }
}

TEST(Base64, EveryCharacterOfTheAlphabet) {
  const auto bytes = decode_base64("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 48u);
  EXPECT_EQ(static_cast<unsigned char>(bytes->back()), 0xbf);
  EXPECT_EQ(decode_base64("////"), "\xff\xff\xff");
  EXPECT_EQ(decode_base64("AAAA"), std::string(3, '\0'));
}

TEST(Base64, RefusesWrongPadding) {
  for (const char* text :
       {"Z",    "Zg",    "Zg=",    "Zm8",   "Zm9vY",    "Zm9vYg",   "Zm9vYg=",  "=",    "==",   "===", "====",
        "Z===", "Zg===", "Zg====", "Zm9v=", "Zm9v====", "Zg==Zg==", "Zm8=Zm8=", "Z=g=", "=Zg=", "Zm=8"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Base64, RefusesBitsThatNobodyWouldRead) {
  for (const char* text : {"Zh==", "Zk==", "Zm9=", "Zm9vYh=="}) EXPECT_EQ(decode_base64(text), std::nullopt) << text;
}

TEST(Base64, RefusesOtherAlphabetsAndWhiteSpace) {
  for (const char* text : {"Zm9-", "Zm_v", "Zm9v\n", "Zm9v\nZm9v", "Zm 9", " Zm9v", "Zm9v ", "Zm9\t", "Zm9v\r\n",
                           "Zm9v,abc", "data:;base64,Zm9v", "Zm9\xc3", "Zm9.", "Zm9*"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
  EXPECT_EQ(decode_base64(std::string_view("Zm9\0", 4)), std::nullopt);
}

TEST(Base64, AnyBytesReadBack) {
  EXPECT_TRUE(rc::check([] {
    const auto bytes = *rc::gen::arbitrary<std::string>();
    const std::string text = testing::encode_base64(bytes);
    RC_ASSERT(decode_base64(text) == std::optional(bytes));
    RC_ASSERT(base64_decoded_size(text) == bytes.size());
  }));
}

TEST(Base64, WhatIsReadHasOneSpelling) {
  EXPECT_TRUE(rc::check([] {
    std::string text = testing::encode_base64(*rc::gen::arbitrary<std::string>());
    if (text.empty()) return;
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    if (const auto bytes = decode_base64(text)) RC_ASSERT(testing::encode_base64(*bytes) == text);
  }));
}

TEST(Base64, TheSizeIsNeverTooSmall) {
  for (std::size_t length = 0; length < 9; ++length) {
    EXPECT_GE(base64_decoded_size(std::string(length, 'A')), length * 3 / 4) << length;
  }
}

}  // namespace
}  // namespace braidlog
