// The same message as multipart/form-data.
#include "dialect/testing/chat_fixture.h"

namespace braidlog::chat {
namespace {

class ChatForms : public ChatFixture {
 protected:
  static constexpr char kType[] = "multipart/form-data; boundary=b0undary";

  static std::string part(std::string_view name, std::string_view content, std::string_view more = {}) {
    return "--b0undary\r\nContent-Disposition: form-data; name=\"" + std::string(name) + "\"" + std::string(more) +
           "\r\n\r\n" + std::string(content) + "\r\n";
  }
  static std::string file(std::string_view filename, std::string_view content, std::string_view type = "text/plain") {
    return part("files", content, "; filename=\"" + std::string(filename) + "\"\r\nContent-Type: " + std::string(type));
  }
  Answer send(std::string parts, const char* path = kStream) {
    return call(Method::kPost, path, std::move(parts) + "--b0undary--\r\n", {{"Content-Type", kType}});
  }
  std::string refused(std::string parts) { return problem_of(response(send(std::move(parts)))); }
};

TEST_F(ChatForms, MessageAndSession) {
  const auto shown = stream(send(part("message", "Hello") + part("session_id", to_ulid(session_id))));
  EXPECT_EQ(shown.run_id, run_id);
  EXPECT_EQ(shown.role, ViewerRole::kClient);
  EXPECT_EQ(command().text, "Hello");
  EXPECT_EQ(command().session_id, session_id);
  EXPECT_EQ(command().agent, "support");
  EXPECT_TRUE(command().waits && command().stops_with_client && command().else_new);
  send(part("message", "Hello") + part("session_id", "") + part("other", "x"));
  EXPECT_EQ(command().session_id, std::nullopt);
}

TEST_F(ChatForms, TheWholeAnswerTakesThemToo) {
  EXPECT_TRUE(std::holds_alternative<AwaitRun>(send(part("message", "Hello"), kChat)));
}

TEST_F(ChatForms, FilesAreBytesAndNotBase64) {
  send(part("message", "Sum up") + file("a.txt", "one\r\ntwo") + file("b.csv", "x,y", "text/csv") +
       file("c.md", "# C", "text/markdown"));
  ASSERT_EQ(command().files.size(), 3u);
  EXPECT_EQ(command().files[0].name, "a.txt");
  EXPECT_EQ(command().files[0].media_type, "text/plain");
  EXPECT_EQ(command().files[0].content, "one\r\ntwo");
  EXPECT_EQ(command().files[1].media_type, "text/csv");
  EXPECT_EQ(command().files[2].media_type, "text/markdown");
}

TEST_F(ChatForms, TheOrderOfThePartsDoesNotMatter) {
  send(file("a.txt", "one") + part("message", "Sum up"));
  EXPECT_EQ(command().text, "Sum up");
  EXPECT_EQ(command().files.size(), 1u);
}

TEST_F(ChatForms, AFileFieldLeftEmptyIsNoFile) {
  send(part("message", "Hi") + file("", "", "application/octet-stream"));
  EXPECT_TRUE(command().files.empty());
  EXPECT_EQ(refused(part("message", "Hi") + file("a.txt", "")), "400 invalid-request") << "chosen, but empty";
}

TEST_F(ChatForms, RefusesWrongFields) {
  for (const std::string& parts :
       {part("other", "x"), part("message", ""), part("message", " \n"), part("message", "\xff"),
        part("message", std::string_view("a\0b", 3)), part("message", "a") + part("message", "a"),
        part("message", "a") + part("session_id", "x") + part("session_id", "y"), std::string()}) {
    EXPECT_EQ(refused(parts), "400 invalid-request") << parts;
  }
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ChatForms, RefusesBrokenForms) {
  const std::string parts = part("message", "Hi");
  const std::pair<const char*, std::string> cases[] = {
      {"multipart/form-data", parts + "--b0undary--"},                    // no boundary
      {"multipart/form-data; boundary=b0undary", parts},                  // never closed
      {"multipart/form-data; boundary=other", parts + "--b0undary--"},    //
      {"multipart/mixed; boundary=b0undary", parts + "--b0undary--"},     //
      {"multipart/form-data; boundary=b0undary", R"({"message":"Hi"})"},  //
      {"multipart/form-data; boundary=b0undary", ""},
      {"application/json", parts + "--b0undary--"},
  };
  for (const auto& [type, body] : cases) {
    EXPECT_EQ(problem_of(post(kStream, body, {{"Content-Type", type}})), "400 invalid-request") << type;
  }
  std::string many;
  for (int i = 0; i < 1000; ++i) many += part("x", "");
  EXPECT_EQ(refused(many + parts), "400 invalid-request");
  EXPECT_EQ(refused(part("message", "Hi", "; x=\"" + std::string(10'000, 'x') + "\"")), "400 invalid-request");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(ChatForms, HostileFileNames) {
  for (const char* name : {"../a.txt", "/etc/passwd.txt", "a/b.txt", "..", ".", "C:\\\\a.txt"}) {
    EXPECT_EQ(refused(part("message", "Hi") + file(name, "x")), "400 invalid-request") << name;
  }
  EXPECT_EQ(refused(part("message", "Hi") + file("\xff.txt", "x")), "400 invalid-request");
  EXPECT_EQ(refused(part("message", "Hi") + file(std::string(252, 'n') + ".txt", "x")), "400 invalid-request");
  EXPECT_EQ(service.asked_count(), 0u);
  send(part("message", "Hi") + file(std::string(251, 'n') + ".txt", "x") + file("a b \u20ac \\\" '.txt", "y"));
  EXPECT_EQ(command().files.at(1).name, "a b \u20ac \" '.txt");
}

TEST_F(ChatForms, TheTypeOfTheBodyIsReadInEveryCase) {
  const std::string body = part("message", "Hi") + "--b0undary--";
  EXPECT_EQ(stream(call(Method::kPost, kStream, body, {{"Content-Type", "Multipart/Form-Data; boundary=\"b0undary\""}}))
                .run_id,
            run_id);
}

}  // namespace
}  // namespace braidlog::chat
