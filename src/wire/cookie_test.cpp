#include "wire/cookie.h"

#include <gtest/gtest.h>

namespace braidlog {
namespace {

using Values = std::vector<std::string_view>;

TEST(Cookie, IsFoundByItsWholeName) {
  EXPECT_EQ(cookie_values("session=abc", "session"), Values{"abc"});
  EXPECT_EQ(cookie_values("a=1; session=abc;b=2", "session"), Values{"abc"});
  EXPECT_EQ(cookie_values(" session = abc ;", "session"), Values{"abc"});
  EXPECT_EQ(cookie_values("session=\"abc\"", "session"), Values{"abc"});
  EXPECT_EQ(cookie_values("session=a=b==", "session"), Values{"a=b=="});
  for (const char* other : {"", ";;;", "=abc", "session", "xsession=abc", "session2=abc", "Session=abc",
                            "__Host-session=abc", "a=session=abc"}) {
    EXPECT_TRUE(cookie_values(other, "session").empty()) << other;
  }
}

TEST(Cookie, ManyOfOneNameComeInTheirOrder) {
  EXPECT_EQ(cookie_values("session=1; x=9; session=; session=2", "session"), (Values{"1", "", "2"}));
}

TEST(Cookie, IsSetForOneHostAndHiddenFromScripts) {
  EXPECT_EQ(set_session_cookie("tok", std::chrono::hours(1), false),
            "session=tok; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600");
  EXPECT_EQ(set_session_cookie("tok", std::chrono::hours(1), true),
            "__Host-session=tok; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600; Secure");
  EXPECT_EQ(clear_session_cookie(false), "session=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0");
}

}  // namespace
}  // namespace braidlog
