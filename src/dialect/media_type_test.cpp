#include "dialect/media_type.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

TEST(MediaType, IsGuessedFromTheEnding) {
  EXPECT_EQ(media_type_of("notes/today.md"), "text/markdown; charset=utf-8");
  EXPECT_EQ(media_type_of("A.PNG"), "image/png");
  EXPECT_EQ(media_type_of("archive.tar.json"), "application/json");
}

TEST(MediaType, NothingThatABrowserRuns) {
  for (const char* path : {"a.html", "a.svg", "a.xml", "a.js", "a.xhtml", "a", "", ".", "md", "dir.md/file"}) {
    EXPECT_EQ(media_type_of(path), "application/octet-stream") << path;
  }
}

TEST(AttachmentDisposition, NamesTheLastPart) {
  EXPECT_EQ(attachment_disposition("a/b/notes 1.md"),
            "attachment; filename=\"notes 1.md\"; filename*=UTF-8''notes%201.md");
  EXPECT_EQ(attachment_disposition("r\xc3\xa9sum\xc3\xa9.pdf"),
            "attachment; filename=\"r__sum__.pdf\"; filename*=UTF-8''r%C3%A9sum%C3%A9.pdf");
}

TEST(AttachmentDisposition, CannotLeaveItsQuotesOrTheHeader) {
  const std::string value = attachment_disposition("a\"; x=\"\r\nSet-Cookie: y\\\x7f;'%41");
  EXPECT_EQ(value,
            "attachment; filename=\"a__ x____Set-Cookie_ y_____41\"; "
            "filename*=UTF-8''a%22%3B%20x%3D%22%0D%0ASet-Cookie%3A%20y%5C%7F%3B%27%2541");
}

TEST(AttachmentDisposition, WithoutAName) {
  EXPECT_EQ(attachment_disposition("dir/"), "attachment; filename=\"file\"; filename*=UTF-8''file");
}

}  // namespace
}  // namespace braidlog
