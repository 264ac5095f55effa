#include "server/route_table.h"

#include <gtest/gtest.h>

#include "dialect/runs/routes.h"

namespace braidlog {
namespace {

class RouteTableTest : public ::testing::Test {
 protected:
  std::variant<RouteMatch, RouteMiss> find(Method method, std::string_view path) { return table_.find(method, path); }
  ErrorCode miss(Method method, std::string_view path) {
    auto found = find(method, path);
    return std::holds_alternative<RouteMiss>(found) ? std::get<RouteMiss>(found).error.code : ErrorCode::kInternal;
  }
  RunsDialect runs_;
  RouteTable table_{{&runs_}};
};

TEST_F(RouteTableTest, CapturesDecodedParts) {
  auto found = find(Method::kGet, "/api/v1/sessions/a%20b/files/notes/x%2Fy.md");
  ASSERT_TRUE(std::holds_alternative<RouteMatch>(found));
  EXPECT_EQ(std::get<RouteMatch>(found).captured, (std::vector<std::string>{"a b", "notes/x/y.md"}));
}

TEST_F(RouteTableTest, UnknownPathsAndMethods) {
  EXPECT_EQ(miss(Method::kGet, "/api/v1/nothing"), ErrorCode::kUnknownRoute);
  EXPECT_EQ(miss(Method::kGet, "/api/v1/sessions/"), ErrorCode::kInternal) << "an empty id is an id like any other";
  EXPECT_EQ(miss(Method::kPut, "/api/v1/sessions"), ErrorCode::kMethodNotAllowed);
  auto found = find(Method::kPut, "/api/v1/sessions");
  EXPECT_EQ(std::get<RouteMiss>(found).error.subject, "POST, GET, HEAD");
  EXPECT_EQ(std::get<RouteMiss>(found).dialect, &runs_);
  EXPECT_EQ(std::get<RouteMiss>(find(Method::kGet, "/elsewhere")).dialect, nullptr);
}

TEST_F(RouteTableTest, HeadIsAGetButNeverAStream) {
  EXPECT_TRUE(std::holds_alternative<RouteMatch>(find(Method::kHead, "/api/v1/sessions")));
  auto stream = find(Method::kHead, "/api/v1/runs/x/stream");
  ASSERT_TRUE(std::holds_alternative<RouteMiss>(stream));
  EXPECT_EQ(std::get<RouteMiss>(stream).error.code, ErrorCode::kMethodNotAllowed);
  EXPECT_EQ(std::get<RouteMiss>(stream).error.subject, "GET");
}

TEST_F(RouteTableTest, PathsThatAreNoText) {
  EXPECT_EQ(miss(Method::kGet, "/api/v1/sessions/%ff"), ErrorCode::kMalformed);
  EXPECT_EQ(miss(Method::kGet, "/api/v1/sessions/%zz"), ErrorCode::kMalformed);
  auto nul = find(Method::kGet, "/api/v1/sessions/a%00b");
  ASSERT_TRUE(std::holds_alternative<RouteMatch>(nul));
  EXPECT_FALSE(parse_id(std::get<RouteMatch>(nul).captured[0]));
}

}  // namespace
}  // namespace braidlog
