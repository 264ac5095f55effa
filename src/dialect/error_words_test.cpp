#include "dialect/error_words.h"

#include "base/utf8.h"
#include "dialect/testing/route_fixture.h"

namespace braidlog {
namespace {

TEST(ErrorWords, NothingOfTheInsideIsTold) {
  for (const auto code : testing::kEveryErrorCode) {
    const int status = usual_status(code);
    EXPECT_GE(status, 400) << name_of(code);
    EXPECT_LT(status, 600) << name_of(code);
    const bool is_ours = status >= 500 && code != ErrorCode::kUnavailable;
    EXPECT_EQ(client_message({code, "own words", ""}) == "own words", !is_ours) << name_of(code);
    EXPECT_NE(client_message({code, "", ""}), "") << name_of(code);
    EXPECT_TRUE(is_valid_utf8(client_message({code, "\xff", ""}))) << name_of(code);
  }
}

std::string header(const Error& error, std::string_view name) {
  HttpResponse response = HttpResponse::empty(usual_status(error.code));
  add_error_headers(response, error);
  for (const auto& h : response.headers) {
    if (h.name == name) return h.value;
  }
  return "(none)";
}

TEST(ErrorWords, HeadersThatBelongToTheStatus) {
  EXPECT_EQ(header({ErrorCode::kMethodNotAllowed, "", "GET, POST"}, "Allow"), "GET, POST");
  EXPECT_EQ(header({ErrorCode::kUnauthorized, "", ""}, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(header({ErrorCode::kRateLimited, "", "30"}, "Retry-After"), "30");
  EXPECT_EQ(header({ErrorCode::kRateLimited, "", ""}, "Retry-After"), "1");
  EXPECT_EQ(header({ErrorCode::kUnavailable, "", "x\r\n"}, "Retry-After"), "1");
  EXPECT_EQ(header({ErrorCode::kUnavailable, "", "9999999"}, "Retry-After"), "1");
  EXPECT_EQ(header({ErrorCode::kBadField, "", "30"}, "Retry-After"), "(none)");
}

}  // namespace
}  // namespace braidlog
