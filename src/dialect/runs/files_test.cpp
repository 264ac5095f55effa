#include "dialect/testing/runs_fixture.h"

namespace braidlog::runs {
namespace {

class RunsFiles : public RunsFixture {
 protected:
  const std::string path = "/api/v1/sessions/" + std::string(kSession) + "/files";
  const Headers multipart{{"Content-Type", "multipart/form-data; boundary=XX"}};

  static std::string part(std::string_view disposition, std::string_view content) {
    return "--XX\r\nContent-Disposition: form-data; " + std::string(disposition) +
           "\r\nContent-Type: text/html\r\n\r\n" + std::string(content) + "\r\n";
  }
  static std::string form(std::string_view parts) { return std::string(parts) + "--XX--\r\n"; }
  HttpResponse upload(std::string_view parts, std::string_view to = {}) {
    return post((to.empty() ? path : std::string(to)) + "/upload", form(parts), multipart);
  }
};

TEST_F(RunsFiles, Upload) {
  service.reply<api::PutFile>(api::FileInfo{"notes/a.md", 5, {1'771'102'980'000}});
  const auto response = upload(part("name=\"other\"", "x") + part("name=\"file\"; filename=\"notes/a.md\"", "he\r\no"));
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, R"({"path":"notes/a.md","size":5,"mime_type":"text/markdown; charset=utf-8"})");
  const auto& command = service.asked<api::PutFile>().at(0);
  EXPECT_EQ(command.session_id, session_id);
  EXPECT_EQ(command.path, "notes/a.md");
  EXPECT_EQ(command.content, "he\r\no");
}

TEST_F(RunsFiles, UploadRefusesWrongForms) {
  EXPECT_EQ(error_of(post(path + "/upload", form(part("name=\"file\"; filename=\"a\"", "x")))), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(post(path + "/upload", "{}", {{"Content-Type", "application/json"}})), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(post(path + "/upload", "", multipart)), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(upload(part("name=\"other\"; filename=\"a\"", "x"))), "400 BAD_REQUEST");
  EXPECT_EQ(error_of(upload(part("name=\"file\"", "x"))), "400 BAD_REQUEST") << "no file name";
  EXPECT_EQ(error_of(upload(part("name=\"file\"; filename=\"a\"", "x") + part("name=\"file\"; filename=\"b\"", "y"))),
            "400 BAD_REQUEST");
  std::string many;
  for (int i = 0; i < 100; ++i) many += part("name=\"x\"", "y");
  EXPECT_EQ(error_of(upload(many)), "400 BAD_REQUEST");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsFiles, APathThatLeavesTheWorkspaceIsInvalid) {
  const std::string named = "name=\"file\"; filename=";
  for (const char* name : {"../a", "/etc/passwd", "a/../../b", "..", ".", "a//b", "a/"}) {
    EXPECT_EQ(error_of(upload(part(named + "\"" + name + "\"", "x"))), "422 INVALID_PATH") << name;
    EXPECT_EQ(error_of(upload(part(named + "\"" + name + "\"", "x"), "/api/v1/sessions/nope/files")),
              "422 INVALID_PATH")
        << "the path comes before the session";
  }
  for (const char* name :
       {"..%2fa", "%2e%2e/a", "%2fetc/passwd", "a/..", "a%2f..%2f..%2fb", "a/./b", "a%0ab", "a%7f"}) {
    EXPECT_EQ(error_of(get(path + "/" + name)), "422 INVALID_PATH") << name;
    EXPECT_EQ(error_of(get("/api/v1/sessions/nope/files/" + std::string(name))), "422 INVALID_PATH") << name;
  }
  EXPECT_EQ(error_of(get(path + "/" + std::string(1025, 'a'))), "422 INVALID_PATH");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsFiles, List) {
  service.reply<api::ListFiles>(api::FileList{{"a.md", 5, {1'771'102'980'000}}, {"b \"q\".txt", 0, {0}}});
  const auto response = get(path);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"files":[{"path":"a.md","size":5,"updated_at":"2026-02-14T21:03:00.000Z"},)"
                           R"({"path":"b \"q\".txt","size":0,"updated_at":"1970-01-01T00:00:00.000Z"}]})");
  EXPECT_EQ(service.asked<api::ListFiles>().at(0).session_id, session_id);
}

TEST_F(RunsFiles, Download) {
  const std::string bytes("\0<script>\xff", 10);
  service.reply<api::GetFile>(api::FileContent{{"dir/a b.html", 10, {}}, bytes});
  const auto response = get(path + "/dir/a%20b.html");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, bytes);
  EXPECT_EQ(header(response, "Content-Type"), "application/octet-stream");
  EXPECT_EQ(header(response, "X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(header(response, "Content-Disposition"), "attachment; filename=\"a b.html\"; filename*=UTF-8''a%20b.html");
  EXPECT_EQ(header(response, "Content-Security-Policy"), "default-src 'none'; sandbox");
  EXPECT_EQ(service.asked<api::GetFile>().at(0).path, "dir/a b.html");
  EXPECT_EQ(service.asked<api::GetFile>().at(0).session_id, session_id);
}

TEST_F(RunsFiles, MalformedSessionIsNotFound) {
  const std::string unknown = "/api/v1/sessions/nope/files";
  EXPECT_EQ(error_of(get(unknown)), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(error_of(get(unknown + "/a.md")), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(error_of(upload(part("name=\"file\"; filename=\"a\"", "x"), unknown)), "404 SESSION_NOT_FOUND");
  EXPECT_EQ(error_of(upload(part("name=\"nofile\"", "x"), unknown)), "400 BAD_REQUEST");
  EXPECT_EQ(service.asked_count(), 0u);
}

TEST_F(RunsFiles, WhatTheServiceRefuses) {
  service.reply<api::GetFile>(fail(ErrorCode::kFileNotFound, "File not found"));
  EXPECT_EQ(error_of(get(path + "/a.md")), "404 FILE_NOT_FOUND");
  service.reply<api::ListFiles>(fail(ErrorCode::kSessionNotFound, "Session not found"));
  EXPECT_EQ(error_of(get(path)), "404 SESSION_NOT_FOUND");
  const std::pair<ErrorCode, const char*> cases[] = {{ErrorCode::kTooLarge, "413 PAYLOAD_TOO_LARGE"},
                                                     {ErrorCode::kInvalidPath, "422 INVALID_PATH"},
                                                     {ErrorCode::kLimitExceeded, "400 BAD_REQUEST"}};
  for (const auto& [code, expected] : cases) {
    service.reply<api::PutFile>(fail(code, "told"));
    EXPECT_EQ(error_of(upload(part("name=\"file\"; filename=\"a\"", "x"))), expected);
  }
}

}  // namespace
}  // namespace braidlog::runs
