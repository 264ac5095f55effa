#include "tool/http/text_content.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"

namespace braidlog::tool {
namespace {

TEST(MediaType, TypeAndCharset) {
  const auto html = MediaType::parse("Text/HTML ; Charset=\"ISO-8859-1\"; x=y");
  EXPECT_EQ(html.type, "text/html");
  EXPECT_EQ(html.charset, "iso-8859-1");
  EXPECT_EQ(MediaType::parse("text/plain").charset, "");
  EXPECT_EQ(MediaType::parse("nonsense").type, "");
  EXPECT_EQ(MediaType::parse("").type, "");
  EXPECT_TRUE(MediaType::parse("application/problem+json; charset=utf-8").is_json());
  EXPECT_FALSE(MediaType::parse("text/html").is_json());
  for (const char* type : {"text/csv", "application/json", "application/xml", "image/svg+xml"}) {
    EXPECT_TRUE(MediaType::parse(type).is_text()) << type;
  }
  for (const char* type : {"image/png", "application/octet-stream", "application/pdf", "application/zip", ""}) {
    EXPECT_FALSE(MediaType::parse(type).is_text()) << type;
  }
}

TEST(ToUtf8, TheCharsetsThatAreKnown) {
  EXPECT_EQ(to_utf8("Gr\xC3\xBC\xC3\x9F"
                    "e",
                    "utf-8"),
            "Grüße");
  EXPECT_EQ(to_utf8("Gr\xFC\xDF"
                    "e \x80\x93",
                    "iso-8859-1"),
            "Grüße €“");
  EXPECT_EQ(to_utf8("Gr\xFC\xDF"
                    "e",
                    ""),
            "Grüße")
      << "what cannot be UTF-8 is Windows-1252";
  EXPECT_EQ(to_utf8("a\xFF", "utf-8"), "a\xEF\xBF\xBD");
  EXPECT_EQ(to_utf8("a\xA4", "koi8-r"), "a\xEF\xBF\xBD") << "not known: replaced";
  EXPECT_EQ(to_utf8("\xEF\xBB\xBFx", "iso-8859-1"), "x") << "the byte order mark decides";
}

TEST(ToUtf8, ACharacterThatWasCutIsDropped) {
  EXPECT_EQ(to_utf8("a\xE2\x82", ""), "a");
  EXPECT_EQ(to_utf8("a\xF0\x9F\x98", "utf-8"), "a");
  EXPECT_EQ(to_utf8("a\xE2\x82\xAC", ""), "a€");
}

TEST(ToUtf8, AnyBytesBecomeText) {
  rc::check("valid UTF-8, whatever it was", [](const std::vector<unsigned char>& raw) {
    const std::string bytes(raw.begin(), raw.end());
    for (const char* charset : {"", "utf-8", "iso-8859-1", "shift_jis"})
      RC_ASSERT(is_valid_utf8(to_utf8(bytes, charset)));
  });
}

}  // namespace
}  // namespace braidlog::tool
