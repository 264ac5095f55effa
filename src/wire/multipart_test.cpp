#include "wire/multipart.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace braidlog {
namespace {

constexpr std::string_view kType = "multipart/form-data; boundary=XX";

std::string part(const std::string& headers, const std::string& content) {
  return "--XX\r\n" + headers + "\r\n\r\n" + content + "\r\n";
}
std::string field(const std::string& name, const std::string& content) {
  return part("Content-Disposition: form-data; name=\"" + name + "\"", content);
}

Result<std::vector<MultipartPart>> parse(std::string_view body, std::size_t parts_max = 10) {
  return parse_multipart(kType, body, parts_max);
}
// The file name of one part with these parameters, or "-" for none, or "malformed".
std::string filename_of(const std::string& parameters) {
  const std::string body = part("Content-Disposition: form-data; name=f" + parameters, "x") + "--XX--\r\n";
  const auto parts = parse(body);
  if (!parts) return "malformed";
  return parts->at(0).filename.value_or("-");
}

TEST(Multipart, ReadsFieldsAndFiles) {
  const std::string body =
      field("message", "hello") +
      part("content-disposition: FORM-DATA; filename=\"a b.txt\"; name=\"files\"\r\nContent-Type: text/plain",
           "1\r\n2\r\n") +
      field("empty", "") + "--XX--\r\n";
  const auto parts = parse(body);
  ASSERT_TRUE(parts) << parts.error().message;
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ(parts->at(0).name, "message");
  EXPECT_EQ(parts->at(0).content, "hello");
  EXPECT_EQ(parts->at(0).filename, std::nullopt);
  EXPECT_EQ(parts->at(1).name, "files");
  EXPECT_EQ(parts->at(1).filename, "a b.txt");
  EXPECT_EQ(parts->at(1).content_type, "text/plain");
  EXPECT_EQ(parts->at(1).content, "1\r\n2\r\n");
  EXPECT_EQ(parts->at(2).content, "");
}

TEST(Multipart, FileNamesAreLabels) {
  EXPECT_EQ(filename_of(""), "-");
  EXPECT_EQ(filename_of("; filename=plain.txt"), "plain.txt");
  EXPECT_EQ(filename_of("; filename=\"../../etc/passwd\""), "../../etc/passwd");
  EXPECT_EQ(filename_of("; filename=\"C:\\dir\\a.txt\""), "C:\\dir\\a.txt");
  EXPECT_EQ(filename_of("; filename=\"a\\\"b\\\\c\""), "a\"b\\c");
  EXPECT_EQ(filename_of("; filename=\"a;b\""), "a;b");
  EXPECT_EQ(filename_of("; filename=\"x\"; filename*=UTF-8''%e2%82%ac%20rates"), "\xE2\x82\xAC rates");
  EXPECT_EQ(filename_of("; filename*=utf-8'en'a"), "a");
  EXPECT_EQ(filename_of("; filename=\"\xC3\xBC\""), "\xC3\xBC");
  for (const char* parameters :
       {"; filename=\"\xFF\"", "; filename*=UTF-8''%FF", "; filename*=UTF-8''%00", "; filename*=UTF-8''%0a",
        "; filename*=latin1''a", "; filename*=a", "; filename=\"open", "; filename=\"a\" b", "; filename=a; filename=b",
        "; filename", "; =x", "; filename=\"a\tb\""}) {
    EXPECT_EQ(filename_of(parameters), "malformed") << parameters;
  }
}

TEST(Multipart, ContentTypesWithoutAGoodBoundary) {
  const std::string body = field("a", "b") + "--XX--";
  for (const std::string_view type :
       {"", "application/json", "multipart/form-data",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"XX \"",
        "multipart/form-data; boundary=X X", "multipart/mixed; boundary=XX", "multipart/form-data; boundary=\"X\r\nX\"",
        "multipart/form-data; boundary=XX; boundary=YY"}) {
    const auto parts = parse_multipart(type, body, 10);
    ASSERT_FALSE(parts) << type;
    EXPECT_EQ(parts.error().code, ErrorCode::kMalformed);
  }
  EXPECT_FALSE(parse_multipart("multipart/form-data; boundary=" + std::string(71, 'x'), body, 10));
  EXPECT_TRUE(parse_multipart("Multipart/Form-Data; charset=utf-8; BOUNDARY=\"XX\";", body, 10));
}

TEST(Multipart, BrokenBodies) {
  const std::string good = field("a", "b");
  const std::string broken[] = {
      "",
      "--XX",
      "--XX\r\n",
      "junk" + good + "--XX--",
      good,
      good + "--XX",
      good + "--XX-",
      good + "--YY--",
      good + "--XX--junk",
      good + "--XX--\r\n--XX--",
      "--XX \r\n\r\n\r\n--XX--",
      "--XX\r\nno colon\r\n\r\n\r\n--XX--",
      part("X: y", "no disposition") + "--XX--",
      part("Content-Disposition: attachment; name=a", "") + "--XX--",
      part("Content-Disposition: form-data", "no name") + "--XX--",
      part("Content-Disposition: form-data; name=\"\xFF\"", "") + "--XX--",
      part("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b", "") + "--XX--",
      part("Content-Disposition: form-data;\r\n name=a", "folded") + "--XX--",
      part("Content-Disposition: form-data; name=a\nX: y", "bare LF") + "--XX--",
      part("Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64", "") + "--XX--",
      part("Content-Disposition: form-data; name=a\r\nX: " + std::string(9000, 'x'), "") + "--XX--",
      "--XX\r\n" + std::string(9000, 'x'),
      "--XX\nContent-Disposition: form-data; name=a\n\nb\n--XX--",
  };
  for (const auto& body : broken) {
    const auto parts = parse(body);
    ASSERT_FALSE(parts) << body.substr(0, 200);
    EXPECT_EQ(parts.error().code, ErrorCode::kMalformed);
    EXPECT_FALSE(parts.error().message.empty());
  }
}

TEST(Multipart, PartsAreCounted) {
  std::string body;
  for (int i = 0; i < 3; ++i) body += field("a", "b");
  body += "--XX--\r\n";
  EXPECT_TRUE(parse(body, 3));
  EXPECT_FALSE(parse(body, 2));
}

TEST(Multipart, NoPartsIsAnEmptyForm) {
  const auto parts = parse("--XX--\r\n");
  ASSERT_TRUE(parts);
  EXPECT_TRUE(parts->empty());
}

TEST(Multipart, WhatIsWrittenReadsBack) {
  rc::check("round trip", [](const std::vector<std::pair<std::string, std::string>>& raw) {
    std::string body;
    std::vector<std::pair<std::string, std::string>> expected;
    for (const auto& [name_source, content] : raw) {
      RC_PRE(content.find("\r\n--XX") == std::string::npos);
      std::string name = "n", quoted = "n";
      for (const char c : name_source) {
        const char printable = static_cast<char>(' ' + static_cast<unsigned char>(c) % 95);
        name += printable;
        if (printable == '"' || printable == '\\') quoted += '\\';
        quoted += printable;
      }
      body += field(quoted, content);
      expected.emplace_back(std::move(name), content);
    }
    body += "--XX--\r\n";
    const auto parts = parse(body, raw.size());
    RC_ASSERT(parts.has_value());
    RC_ASSERT(parts->size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      RC_ASSERT(parts->at(i).name == expected[i].first);
      RC_ASSERT(parts->at(i).content == expected[i].second);
    }
  });
}

}  // namespace
}  // namespace braidlog
