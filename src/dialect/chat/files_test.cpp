#include "dialect/files/sent_files.h"

#include "dialect/files/file_type.h"
#include "dialect/testing/chat_fixture.h"
#include "wire/testing/encode_base64.h"

namespace braidlog::chat {
namespace {

using namespace files;
using testing::encode_base64;
using namespace std::string_literals;

class ChatFiles : public ChatFixture {
 protected:
  // Bytes, with their claimed type and their name.
  static std::string file(std::string_view content, std::string_view type = "text/plain", const char* name = "a.txt") {
    const std::string named = name == nullptr ? "" : R"(,"filename":")" + std::string(name) + "\"";
    return R"({"content":")" + encode_base64(content) + R"(","mime_type":")" + std::string(type) + "\"" + named + "}";
  }
  static std::string body(const std::string& files) { return R"({"message":"Sum up","files":[)" + files + "]}"; }
  HttpResponse refused(const std::string& files) { return post(kStream, body(files)); }
  std::string problem(const std::string& files) { return problem_of(refused(files)); }
  const std::vector<api::AttachedFile>& accepted(const std::string& files) {
    EXPECT_EQ(stream(call(Method::kPost, kStream, body(files))).run_id, run_id) << files;
    return command().files;
  }
};

TEST_F(ChatFiles, TextFilesReachTheRun) {
  const auto& files = accepted(file("Hello\n") + "," + file("x,y", "text/csv", "b.csv"));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "a.txt");
  EXPECT_EQ(files[0].media_type, "text/plain");
  EXPECT_EQ(files[0].content, "Hello\n");
  EXPECT_EQ(files[1].name, "b.csv");
  EXPECT_EQ(files[1].media_type, "text/csv");
}

TEST_F(ChatFiles, NoFiles) {
  for (const char* files : {"[]", "null"}) {
    call(Method::kPost, kStream, R"({"message":"Hi","files":)" + std::string(files) + "}");
    EXPECT_TRUE(command().files.empty());
  }
  EXPECT_EQ(started(), 2u);
}

TEST_F(ChatFiles, TheNameSaysWhichText) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"a.txt", "image/png", "text/plain"},
      {"a.TXT", "", "text/plain"},
      {"a.csv", "text/plain", "text/csv"},
      {"a.md", "application/octet-stream", "text/markdown"},
      {"a.markdown", "x", "text/markdown"},
      {"notes", "text/plain", "text/plain"},
      {"notes", "Text/CSV; charset=utf-8", "text/csv"},
      {"page.html", "text/x-markdown", "text/markdown"},
  };
  for (const auto& [name, claimed, expected] : cases) {
    EXPECT_EQ(accepted(file("text", claimed, name)).at(0).media_type, expected) << name << " " << claimed;
  }
}

TEST_F(ChatFiles, ANamelessFileGetsAName) {
  const auto& files = accepted(file("a", "text/plain", nullptr) + "," + file("b", "text/csv", "") + "," +
                               file("c", "text/markdown", nullptr));
  EXPECT_EQ(files.at(0).name, "file-1.txt");
  EXPECT_EQ(files.at(1).name, "file-2.csv");
  EXPECT_EQ(files.at(2).name, "file-3.md");
}

TEST_F(ChatFiles, TheSameNameTwiceIsFine) {
  const auto& files = accepted(file("one") + "," + file("two"));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, files[1].name);
}

TEST_F(ChatFiles, TheBytesStayAsTheyWere) {
  for (const char* content : {"\xef\xbb\xbfHello", "a\r\nb\rc\n", "\u2028\u0085", " "}) {
    EXPECT_EQ(accepted(file(content)).at(0).content, content);
  }
  EXPECT_EQ(problem(file("\xef\xbb\xbf")), "400 invalid-request") << "nothing is left";
}

TEST_F(ChatFiles, RefusesWrongFields) {
  for (const char* files : {"\"a\"", "1", "[]", "null", "{}", R"({"mime_type":"text/plain"})", R"({"content":"QQ=="})",
                            R"({"content":1,"mime_type":"text/plain"})", R"({"content":"QQ==","mime_type":1})",
                            R"({"content":"QQ==","mime_type":null})", R"({"content":null,"mime_type":"text/plain"})",
                            R"({"content":"QQ==","mime_type":"text/plain","filename":1})"}) {
    EXPECT_EQ(problem(files), "400 invalid-request") << files;
  }
  for (const char* files : {"{}", "\"x\"", "1", "true"}) {
    EXPECT_EQ(problem_of(post(kStream, R"({"message":"Hi","files":)" + std::string(files) + "}")),
              "400 invalid-request");
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ChatFiles, ANameIsALabel) {
  for (const char* name : {"../a.txt", "/a.txt", "a/b.txt", "a\\\\b.txt", "..", ".", "a\\nb.txt", "a\\u0000.txt",
                           "a\\u007f.txt", "a\\u2028.txt", "a\\u0085.txt"}) {
    EXPECT_EQ(problem(file("x", "text/plain", name)), "400 invalid-request") << name;
  }
  EXPECT_EQ(problem(file("x", "text/plain", (std::string(252, 'n') + ".txt").c_str())), "400 invalid-request");
  EXPECT_EQ(service.asked_count(), 0u);
  EXPECT_EQ(accepted(file("x", "text/plain", "...txt")).at(0).name, "...txt");
}

TEST_F(ChatFiles, AtMostTen) {
  std::string files = file("x");
  for (int i = 1; i < 10; ++i) files += "," + file("x");
  EXPECT_EQ(accepted(files).size(), 10u);
  const auto over = refused(files + "," + file("x"));
  EXPECT_EQ(problem_of(over), "400 invalid-request");
  EXPECT_EQ(detail_of(over), "`files` must be at most 10");
}

TEST_F(ChatFiles, TooLargeNamesTheFile) {
  limits.chat_file_bytes_max = 4;
  EXPECT_EQ(accepted(file("four")).at(0).content, "four");
  const auto over = refused(file("four") + "," + file("fives", "text/plain", "b.txt"));
  EXPECT_EQ(problem_of(over), "413 payload-too-large");
  EXPECT_EQ(detail_of(over), "The file `b.txt` has more than 4 bytes");
}

TEST_F(ChatFiles, BadBase64NamesTheFile) {
  for (const char* content : {"QQ=", "QQ", "Q", "QQ==\\n", "Q Q==", "QR==", "Q_==", "QQ==QQ==", "data:,x", "\u20ac"}) {
    const auto response =
        refused(R"({"content":")" + std::string(content) + R"(","mime_type":"text/plain","filename":"b.txt"})");
    EXPECT_EQ(problem_of(response), "400 invalid-request") << content;
    EXPECT_EQ(detail_of(response), "The file `b.txt` is not valid base64") << content;
  }
}

TEST_F(ChatFiles, AnEmptyFileNamesTheFile) {
  const auto response = refused(file("", "text/plain", "b.txt"));
  EXPECT_EQ(problem_of(response), "400 invalid-request");
  EXPECT_EQ(detail_of(response), "The file `b.txt` is empty");
}

// The smallest of each kind that could be one.
const std::string kPng = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3"s;
const std::string kJpeg = "\xff\xd8\xff\xe0\0\4ab\xff\xc0\0\x0b\x08\0\3\0\2"s;
const std::string kGif = "GIF89a\2\0\3\0\0\0\0\x2c\0\0\0\0\2\0\3\0\0"s;
const std::string kWebp = "RIFF\x24\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\1\0\0\2\0\0"s;
const std::string kPdf = "%PDF-1.7\n1 0 obj\n";

std::string little(std::uint64_t number, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(number >> 8 * i & 0xff);
  return out;
}

// An archive whose directory says this; what it should hold is not there.
std::string zip(const std::vector<std::pair<std::string, std::uint64_t>>& parts, const std::string& comment = "") {
  std::string directory;
  for (const auto& [name, bytes] : parts) {
    directory +=
        "PK\1\2" + std::string(20, '\0') + little(bytes, 4) + little(name.size(), 2) + std::string(16, '\0') + name;
  }
  return "PK\3\4 local parts" + directory + "PK\5\6" + std::string(8, '\0') + little(directory.size(), 4) +
         little(0, 4) + little(comment.size(), 2) + comment;
}

TEST_F(ChatFiles, TheContentSaysWhatAFileIs) {
  const std::string office = "application/vnd.openxmlformats-officedocument.";
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {kPng, "image/png", ".png"},
      {kJpeg, "image/jpeg", ".jpg"},
      {kGif, "image/gif", ".gif"},
      {"GIF87a" + kGif.substr(6), "image/gif", ".gif"},
      {kWebp, "image/webp", ".webp"},
      {kPdf, "application/pdf", ".pdf"},
      {"junk\0\xff\r\n"s + kPdf, "application/pdf", ".pdf"},
      {zip({{"[Content_Types].xml", 9}, {"word/document.xml", 9}}), office + "wordprocessingml.document", ".docx"},
      {zip({{"word/document2.xml", 9}}, "a comment"), office + "wordprocessingml.document", ".docx"},
      {zip({{"xl/workbook.xml", 9}}), office + "spreadsheetml.sheet", ".xlsx"},
      {zip({{"ppt/presentation.xml", 9}}), office + "presentationml.presentation", ".pptx"},
  };
  for (const auto& [content, type, extension] : cases) {
    for (const char* name : {"b.txt", "b.png"}) {
      EXPECT_EQ(accepted(file(content, "text/plain", name)).at(0).media_type, type) << name;
    }
    EXPECT_EQ(accepted(file(content, "text/plain", nullptr)).at(0).name, "file-1" + extension);
    EXPECT_EQ(command().files.at(0).content, content);
  }
  EXPECT_EQ(accepted(file("A note on %PDF- files", "text/plain", "note.txt")).at(0).media_type, "text/plain");
}

TEST_F(ChatFiles, AFileThatCannotBeOneNamesTheFile) {
  std::vector<std::pair<std::string, std::uint64_t>> many(10'001, {"word/document.xml", 0});
  const std::pair<std::string, std::string> cases[] = {
      {kPng.substr(0, 20), "is not a PNG image that can be read"},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIDAT\0\0\0\2\0\0\0\3"s, "is not a PNG image that can be read"},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\3"s, "is not a PNG image that can be read"},
      {kJpeg.substr(0, 12), "is not a JPEG image that can be read"},
      {kGif.substr(0, 15), "is not a GIF image that can be read"},
      {kWebp.substr(0, 25), "is not a WebP image that can be read"},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\x86\xa0\0\1\x86\xa0"s, "has more than 50 million pixels"},
      {"%PDF-1.7\n%plain text", "is not a PDF that can be read"},
      {"PK\3\4 and no directory", "is not an archive that can be read"},
      {zip({{"word/document.xml", 9}}).substr(0, 70), "is not an archive that can be read"},
      {zip({{"word/document.xml", 200 << 20}, {"a", 1}}), "unpacks to more than 200 MiB"},
      {zip({{"word/document.xml", 0xffffffff}}), "unpacks to more than 200 MiB"},
      {zip(many), "has more than 10000 parts"},
  };
  for (const auto& [content, why] : cases) {
    const auto response = refused(file("fine") + "," + file(content, "text/plain", "b.txt"));
    EXPECT_EQ(problem_of(response), "400 invalid-request") << why;
    EXPECT_EQ(detail_of(response), "The file `b.txt` " + why);
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ChatFiles, LimitsOfFilesThatAreRead) {
  limits.extraction_pixels_max = 5;
  EXPECT_EQ(detail_of(refused(file(kPng, "x", "b.png"))), "The file `b.png` has more than 5 pixels");
  limits.extraction_pixels_max = 6;
  EXPECT_EQ(accepted(file(kPng)).at(0).media_type, "image/png");
  limits.extraction_unpacked_bytes_max = 99;
  EXPECT_EQ(detail_of(refused(file(zip({{"xl/workbook.xml", 100}}), "x", "b.xlsx"))),
            "The file `b.xlsx` unpacks to more than 99 bytes");
}

TEST_F(ChatFiles, EverythingElseCannotBeRead) {
  for (const auto& [content, type, name] :
       {std::tuple{"text"s, "application/json", "a.json"}, std::tuple{"text"s, "", "noname"},
        std::tuple{"\xff\xfeh\0i\0"s, "text/plain", "utf16.txt"}, std::tuple{"caf\xe9"s, "text/plain", "latin1.txt"},
        std::tuple{"a\0b"s, "text/plain", "nul.txt"},
        std::tuple{zip({{"a.txt", 1}, {"word/documents/a.xml", 1}}), "application/zip", "a.zip"},
        std::tuple{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old"s, "application/msword", "a.doc"},
        std::tuple{"RIFF\0\0\0\0WAVE"s, "audio/wav", "a.wav"}, std::tuple{"text"s, "text/plainx", "x.txtx"}}) {
    const auto response = refused(file(content, type, name));
    EXPECT_EQ(problem_of(response), "400 unsupported-media") << name;
    EXPECT_NE(detail_of(response).find("`" + std::string(name) + "`"), std::string::npos);
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ChatFiles, TheOrderOfTheChecks) {
  limits.chat_file_bytes_max = 20;
  limits.chat_files_max = 3;
  const std::string bad_type = file("caf\xe9", "x", "type.png");
  const std::string bad_base64 = R"({"content":"!","mime_type":"x","filename":"base64.txt"})";
  const std::string bad_size = file(std::string(21, 'x'), "x", "size.txt");
  EXPECT_EQ(problem(bad_type + "," + file("x")), "400 unsupported-media");
  EXPECT_NE(detail_of(refused(bad_type + "," + bad_base64)).find("base64.txt"), std::string::npos);
  EXPECT_NE(detail_of(refused(bad_type + "," + bad_base64 + "," + bad_size)).find("size.txt"), std::string::npos);
  EXPECT_NE(detail_of(refused(bad_type + "," + bad_base64 + "," + bad_size + "," + bad_size)).find("at most 3"),
            std::string::npos);
  const auto message_first = post(kStream, R"({"message":" ","files":[)" + bad_size + "]}");
  EXPECT_EQ(detail_of(message_first), "`message` must not be blank");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST(ChatFileDigest, IsOfTheContentAlone) {
  const api::AttachedFile a{"a.txt", "text/plain", "one"}, b{"b.md", "text/markdown", "one"}, c{"a.txt", "x", "two"};
  EXPECT_EQ(digest_of(a), digest_of(b));
  EXPECT_NE(digest_of(a), digest_of(c));
  EXPECT_EQ(digest_of({"", "", ""}), "99aa06d3014798d86001c324468d497f") << "XXH3, 128 bits: kept in databases";
}

TEST(ChatFileType, ShortContentIsLookedAtSafely) {
  for (const char* content : {"", "\x89", "P", "PK", "RIFF", "RIFFxxxxWEB", "%PDF", "GIF8", "\xff\xd8"}) {
    EXPECT_EQ(binary_type(content).media_type, "") << content;
  }
  EXPECT_EQ(text_type(".txt", "").media_type, "") << "an ending alone is no name";
}

}  // namespace
}  // namespace braidlog::chat
