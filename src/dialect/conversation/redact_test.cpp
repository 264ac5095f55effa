#include "dialect/conversation/redact.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/json.h"
#include "base/utf8.h"

namespace braidlog::conversation {
namespace {

std::string safe(std::string_view document, std::size_t bytes_max = 64 * 1024) {
  std::string out;
  append_safe_json(out, document, bytes_max);
  EXPECT_TRUE(parse_json(out)) << out;
  return out;
}
std::string safe_text(std::string_view text, std::size_t bytes_max = 64 * 1024) {
  std::string out;
  append_safe_text(out, text, bytes_max);
  return out;
}

TEST(SecretNames, AreWholeWordsInAnySpelling) {
  for (const char* name : {"key",           "KEY",           "api_key",
                           "apiKey",        "APIKey",        "ApiKEY",
                           "api-key",       "X-Api-Key",     "apikey",
                           "APIKEY",        "key1",          "2key",
                           "token",         "accessToken",   "access_token",
                           "ACCESS_TOKEN",  "refreshtoken",  "csrf.token",
                           "secret",        "clientSecret",  "password",
                           "Password",      "dbPassword2",   "passwd",
                           "authorization", "Authorization", "Proxy-Authorization",
                           "cookie",        "Set-Cookie",    "sessionCookie",
                           "api key",       "user:password", "aws/secret",
                           "_key_",         "credentials"}) {
    EXPECT_EQ(secret_name(name), SecretName::kOne) << name;
  }
  for (const char* name : {"keys", "tokens", "tokens_used", "maxTokens", "total-tokens", "secrets", "passwords",
                           "cookies", "token_count", "keyCount"}) {
    EXPECT_EQ(secret_name(name), SecretName::kCount) << name;
  }
  for (const char* name :
       {"",       "_",         "42",       "monkey",    "Monkey",       "keyboard",     "keyword", "keynote",
        "turkey", "tokenizer", "tokenize", "secretary", "passwordless", "cookiecutter", "author",  "authorized",
        "count",  "name",      "message",  "clé",       "keyé",         "tok en"}) {
    EXPECT_EQ(secret_name(name), SecretName::kNone) << name;
  }
}

TEST(Redact, HidesTextsListsObjectsAndNumbers) {
  EXPECT_EQ(safe(R"({"token":"abc","message":"hi"})"), R"({"token":"[REDACTED]","message":"hi"})");
  EXPECT_EQ(safe(R"({"cookies":[{"a":1}],"secret":{"deep":["x"]},"password":1234,"key":1.5,"token":""})"),
            R"({"cookies":"[REDACTED]","secret":"[REDACTED]","password":"[REDACTED]","key":"[REDACTED]",)"
            R"("token":"[REDACTED]"})");
  EXPECT_EQ(safe(R"([{"list":[{"apiKey":"x","n":1}]}])"), R"([{"list":[{"apiKey":"[REDACTED]","n":1}]}])");
}

TEST(Redact, LeavesWhatTellsNothing) {
  for (const char* harmless :
       {R"({"tokens_used":12,"max_tokens":1.5,"key_count":3})", R"({"token":null,"has_password":true,"secret":false})",
        R"({"monkey":"see","value":["key","token=abc"]})", "\"password\"", "null", "3", "[]", "{}"}) {
    EXPECT_EQ(safe(harmless), harmless);
  }
  EXPECT_EQ(safe(R"({"tokens":"abc"})"), R"({"tokens":"[REDACTED]"})") << "a count is a number";
}

TEST(Redact, LooksIntoTextThatIsJson) {
  EXPECT_EQ(safe(R"({"body":"{\"access_token\":\"abc\",\"n\":1}"})"),
            R"({"body":"{\"access_token\":\"[REDACTED]\",\"n\":1}"})");
  EXPECT_EQ(safe_text(R"( [{"key": "x"}])"), R"("[{\"key\":\"[REDACTED]\"}]")");
  EXPECT_EQ(safe(R"({"a":"{\"b\":\"{\\\"secret\\\":\\\"x\\\"}\"}"})"),
            R"({"a":"{\"b\":\"{\\\"secret\\\":\\\"[REDACTED]\\\"}\"}"})")
      << "and into text inside that";
  for (const char* text : {"{ \"spaces\" : 1 }", "[1, 2]", "{not json", "[INFO] token abc", "{", "plain"}) {
    std::string as_it_is;
    append_json_string(as_it_is, text);
    EXPECT_EQ(safe_text(text), as_it_is) << "nothing to hide: word for word";
  }
}

TEST(Redact, CutsLongStrings) {
  EXPECT_EQ(safe(R"({"text":"0123456789abcdef"})", 10), R"({"text":"0123456789… [cut: 6 bytes]"})");
  EXPECT_EQ(safe_text("0123456789abcdef", 10), "\"0123456789\u2026 [cut: 6 bytes]\"");
  EXPECT_EQ(safe(R"({"text":"123456789€"})", 10), R"({"text":"123456789… [cut: 3 bytes]"})");
}

TEST(Redact, LeavesOutWhatIsTooMuch) {
  EXPECT_EQ(safe("[111,222,333,444,555]", 10), R"([111,222,333,"… [cut: 2 items]"])");
  EXPECT_EQ(safe(R"({"a":1,"b":2,"c":3,"d":4})", 10), R"({"a":1,"b":2,"…":"[cut: 2 fields]"})");
  EXPECT_EQ(safe(R"([[1,2,3,4,5,6,7,8,9],[1],{"a":1}])", 10), R"([[1,2,3,4,"… [cut: 5 items]"],"… [cut: 2 items]"])");
  EXPECT_LT(safe("[" + std::string(100'000, '1') + "e0]").size(), 200u) << "no number stays that long";
}

TEST(Redact, DoesNotGoDeeperThanSixteenLevels) {
  std::string inside, deep;
  for (int i = 0; i < 16; ++i) inside += '[';
  inside += '1';
  for (int i = 0; i < 16; ++i) inside += ']';
  EXPECT_EQ(safe(inside), inside);
  EXPECT_NE(safe("[" + inside + "]").find("[cut: nested too deep]"), std::string::npos);
  EXPECT_EQ(safe("{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}"), "\"[not shown]\"");
  EXPECT_EQ(safe("nope"), "\"[not shown]\"");
}

TEST(Redact, LineEndsOfEveryKindAreEscaped) {
  const std::string out =
      safe("{\"a\xe2\x80\xa8\":\"\xe2\x80\xa9\xc2\x85\",\"b\":\"{\\\"key\\\":1,\\\"c\\\":\\\"\xe2\x80\xa8\\\"}\"}");
  for (const char* raw : {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\n", "\r"}) {
    EXPECT_EQ(out.find(raw), std::string::npos) << out;
  }
}

TEST(Redact, AnyTextStaysTextAndSmall) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = to_valid_utf8(*rc::gen::arbitrary<std::string>());
    std::string out;
    append_safe_text(out, text, 32);
    const auto read = parse_json(out);
    RC_ASSERT(read.has_value() && read->is_string());
    RC_ASSERT(out.size() <= 32u * 6 + 40);
  }));
}

}  // namespace
}  // namespace braidlog::conversation
