// What is read of honest files of every kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.h"
#include "sandbox/testing/file_extractor.h"

namespace braidlog::sandbox {
namespace {

using testing::ExtractorTest;
using ::testing::HasSubstr;
using testing::kDocx;
using testing::kPdf;
using testing::kPptx;
using testing::kXlsx;
using testing::made_file;
using ::testing::Not;

TEST_F(ExtractorTest, ReadsWhatItSays) {
  for (const char* type : {"image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf", "text/html",
                           "text/html; charset=utf-8"}) {
    EXPECT_TRUE(extractor().reads(type)) << type;
  }
  for (const auto& type : {kDocx, kXlsx, kPptx}) EXPECT_TRUE(extractor().reads(type)) << type;
  for (const char* type : {"", "text/plain", "text/csv", "text/markdown", "application/zip", "image/tiff"}) {
    EXPECT_FALSE(extractor().reads(type)) << type;
  }
  EXPECT_EQ(refused("x", "image/tiff"), "is not a file that can be read");
}

TEST_F(ExtractorTest, AWordDocument) {
  const auto found = read(made_file("docx"), kDocx);
  EXPECT_EQ(found.text,
            "Society of Keepers\n\n# Report on lighthouses\nThe lamp of Skagen was lit in 1858.\n- Buy oil\nSee the "
            "note[2]\nHarbour | Keeper\nSkagen | Ingrid & Ole\n\nThe end – 灯台.\n[2] From the chronicle.\nPrinted in "
            "Aarhus");
  EXPECT_EQ(found.left_out, "");
  EXPECT_GT(found.took.count(), 0);
}

TEST_F(ExtractorTest, AWorkbook) {
  EXPECT_EQ(read(made_file("xlsx"), kXlsx).text,
            "Sheet Stock 1:\nLamp\tOil barrels\tBought\nSkagen\t17.5\t2026-03-01\t\t2026-03-01 12:00:00\n"
            "computed\tTRUE\t0.3");
}

TEST_F(ExtractorTest, APresentation) {
  EXPECT_EQ(read(made_file("pptx"), kPptx).text,
            "Slide 1:\nWhy lighthouses\nPoint of Why lighthouses\nNotes: Speak slowly here.\n\nSlide 2:\nHow they "
            "work\nPoint of How they work");
}

TEST_F(ExtractorTest, AWebPage) {
  const auto text = read(made_file("html"), "text/html").text;
  EXPECT_EQ(text,
            "Lamps & lighthouses\n\n# The lamp\n\nLit by keepers every night.\n- Oil\n- Wick\nPlace | Year\nSkagen | "
            "1858\na\n  b");
  EXPECT_THAT(read("<p>caf\xe9</p>", "text/html; charset=iso-8859-1").text, HasSubstr("café"));
}

TEST_F(ExtractorTest, ThePagesOfAPdf) {
  const auto found = read(made_file("pdf"), kPdf);
  EXPECT_EQ(found.text, "Page 1:\nThe first page\n\nhas two lines.\n\nPage 2:\nThe second page.");
  EXPECT_EQ(found.left_out, "");
}

// Without a file of the source tree: the server may be a user who sees none (ServerProcessTest).
TEST_F(ExtractorTest, APdfWithoutATableIsReadAllTheSame) {
  const std::string pdf =
      "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
      "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype"
      "/Type1/BaseFont/Helvetica>>>>>>>>endobj\n4 0 obj<</Length 45>>stream\nBT /F 24 Tf 20 200 Td (Small but whole) "
      "Tj "
      "ET\nendstream endobj\ntrailer<</Root 1 0 R>>\n";
  EXPECT_EQ(read(pdf, kPdf).text, "Small but whole");
}

TEST_F(ExtractorTest, AScannedPdfIsRecognized) {
  EXPECT_THAT(read(made_file("scanned_pdf"), kPdf).text, HasSubstr("INV-2026-48151"));
}

TEST_F(ExtractorTest, ImagesAreRecognized) {
  for (const std::string kind : {"png", "jpeg", "gif", "webp"}) {
    const auto found = read(made_file("invoice_" + kind), "image/" + kind);
    EXPECT_THAT(found.text, HasSubstr("INV-2026-48151")) << kind;
    EXPECT_THAT(found.text, HasSubstr("139.50 EUR")) << kind;
  }
}

TEST_F(ExtractorTest, OfAnImageThatMovesTheFirstPictureIsRead) {
  for (const std::string kind : {"gif", "webp"}) {
    EXPECT_THAT(read(made_file("moving_" + kind), "image/" + kind).text, HasSubstr("INV-2026-48151")) << kind;
  }
}

TEST_F(ExtractorTest, PagesOverTheLimitAreNamed) {
  limits.extraction_ocr_pages_max = 2;
  EXPECT_EQ(read(made_file("mixed_pdf"), kPdf).left_out,
            "Pages 3 to 4 were not read: of pages that are images, 2 are.");
  limits.extraction_pages_max = 1;
  EXPECT_EQ(read(made_file("pdf"), kPdf).left_out, "Page 2 was not read.");
  EXPECT_EQ(read(made_file("pptx"), kPptx).left_out, "Slide 2 was not read.");
  limits.extraction_pages_max = 10;
  EXPECT_EQ(read(made_file("many_sheets_xlsx"), kXlsx).left_out, "Sheets 11 to 12 were not read.");
}

TEST_F(ExtractorTest, TextHasAnEnd) {
  limits.attachment_text_bytes_max = 10'000;
  const auto text = read(made_file("wordy_docx"), kDocx).text;
  EXPECT_GT(text.size(), limits.attachment_text_bytes_max) << "so that who shows it sees that there was more";
  EXPECT_LE(text.size(), 4 * limits.attachment_text_bytes_max);
  EXPECT_TRUE(is_valid_utf8(text));
}

TEST_F(ExtractorTest, TextIsCleanUtf8) {
  const auto text = read("<title>\xff\x01</title>a\x01\x7f&#0;&#xd800;&#1;b\r\nc\xff", "text/html; charset=utf-8").text;
  EXPECT_TRUE(is_valid_utf8(text));
  EXPECT_EQ(text.find_first_of(std::string("\0\1\x7f\r", 4)), std::string::npos);
  EXPECT_THAT(text, HasSubstr("b c"));
}

TEST_F(ExtractorTest, AFileWithoutTextHasNone) {
  EXPECT_EQ(read("<html></html>", "text/html").text, "");
}

}  // namespace
}  // namespace braidlog::sandbox
