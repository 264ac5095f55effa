#include "provider/openai/openai_settings.h"

#include <gtest/gtest.h>

#include <map>

namespace braidlog::provider {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment(Variables variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

OpenAiSettings settings(const api::ModelSpec& spec, Variables variables) {
  auto found = openai_settings(spec, environment(std::move(variables)));
  EXPECT_TRUE(found) << found.error().message;
  return found.value_or(OpenAiSettings{});
}

std::string refusal(const api::ModelSpec& spec, Variables variables) {
  const auto found = openai_settings(spec, environment(std::move(variables)));
  EXPECT_FALSE(found);
  return found ? "" : found.error().message;
}

TEST(OpenAiSettings, OpenAiItself) {
  const auto found = settings({}, {{"OPENAI_API_KEY", "k"}});
  EXPECT_EQ(found.base_url, "https://api.openai.com/v1");
  EXPECT_EQ(found.api_key, "k");
  EXPECT_EQ(found.chat.model, "gpt-4o-mini");
  EXPECT_TRUE(found.chat.is_openai);
}

TEST(OpenAiSettings, AServerOfTheEnvironment) {
  const Variables variables{{"OPENAI_BASE_URL", "http://127.0.0.1:1/v1//"}, {"OPENAI_MODEL", "m"}};
  const auto keyless = settings({}, variables);
  EXPECT_EQ(keyless.base_url, "http://127.0.0.1:1/v1");
  EXPECT_EQ(keyless.api_key, "");
  EXPECT_EQ(keyless.chat.model, "m");
  EXPECT_FALSE(keyless.chat.is_openai);
  auto with_key = variables;
  with_key["OPENAI_API_KEY"] = "k";
  EXPECT_EQ(settings({}, with_key).api_key, "k");
  EXPECT_EQ(settings({.name = "own"}, variables).chat.model, "own");
}

TEST(OpenAiSettings, AKeyGoesOnlyToItsServer) {
  const api::ModelSpec spec{.base_url = "http://127.0.0.1:1/v1"};
  EXPECT_EQ(settings(spec, {{"OPENAI_API_KEY", "k"}}).api_key, "");
  api::ModelSpec with_key = spec;
  with_key.api_key_env = "OWN_KEY";
  EXPECT_EQ(settings(with_key, {{"OPENAI_API_KEY", "k"}, {"OWN_KEY", "own"}}).api_key, "own");
}

TEST(OpenAiSettings, AKeyThatIsMissingOrBrokenIsNamedNotShown) {
  EXPECT_NE(refusal({}, {}).find("OPENAI_API_KEY"), std::string::npos);
  const api::ModelSpec spec{.base_url = "http://a/v1", .api_key_env = "OWN_KEY"};
  EXPECT_NE(refusal(spec, {{"OPENAI_API_KEY", "k"}}).find("OWN_KEY"), std::string::npos);
  for (const char* key : {"hush\r\nX: y", "hush hush", "hush\n", "hush\x80"}) {
    const auto message = refusal(spec, {{"OWN_KEY", key}});
    EXPECT_NE(message.find("OWN_KEY"), std::string::npos);
    EXPECT_EQ(message.find("hush"), std::string::npos);
  }
}

TEST(OpenAiSettings, AnAddressThatIsNoneIsRefused) {
  const auto message = refusal({}, {{"OPENAI_BASE_URL", "https://me:hush@host/v1"}});
  EXPECT_NE(message.find("OPENAI_BASE_URL"), std::string::npos);
  EXPECT_EQ(message.find("hush"), std::string::npos);
}

TEST(OpenAiSettings, TheEnvironmentNamesOpenAiByKeyOrAddress) {
  EXPECT_FALSE(environment_names_openai(environment({{"OPENAI_MODEL", "m"}})));
  EXPECT_TRUE(environment_names_openai(environment({{"OPENAI_API_KEY", "k"}})));
  EXPECT_TRUE(environment_names_openai(environment({{"OPENAI_BASE_URL", "http://a/v1"}})));
}

}  // namespace
}  // namespace braidlog::provider
