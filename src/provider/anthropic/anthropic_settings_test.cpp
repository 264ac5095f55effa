#include "provider/anthropic/anthropic_settings.h"

#include <gtest/gtest.h>

#include <map>

namespace braidlog::provider {
namespace {

using Variables = std::map<std::string, std::string>;

Result<AnthropicSettings> settings(const api::ModelSpec& spec, Variables variables) {
  return anthropic_settings(spec, [&](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(AnthropicSettings, AnthropicItself) {
  const auto found = settings({}, {{"ANTHROPIC_API_KEY", "k"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->base_url, "https://api.anthropic.com");
  EXPECT_EQ(found->api_key, "k");
  EXPECT_EQ(found->messages.max_tokens, 8'192u);
  EXPECT_EQ(found->messages.owner.provider, "anthropic");
}

TEST(AnthropicSettings, AServerOfTheEnvironmentWithOrWithoutItsVersion) {
  for (const char* url :
       {"http://127.0.0.1:1", "http://127.0.0.1:1/", "http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/"}) {
    const auto found = settings({.name = "m", .max_tokens = 5}, {{"ANTHROPIC_BASE_URL", url}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->base_url, "http://127.0.0.1:1");
    EXPECT_EQ(found->api_key, "");
    EXPECT_EQ(found->messages.model, "m");
    EXPECT_EQ(found->messages.max_tokens, 5u);
  }
}

TEST(AnthropicSettings, AKeyGoesOnlyToItsServer) {
  const api::ModelSpec spec{.base_url = "http://a", .api_key_env = "OWN_KEY"};
  EXPECT_EQ(settings(spec, {{"ANTHROPIC_API_KEY", "k"}, {"OWN_KEY", "own"}})->api_key, "own");
  EXPECT_EQ(settings({.base_url = "http://a"}, {{"ANTHROPIC_API_KEY", "k"}})->api_key, "");
  const auto keyless = settings({}, {{"OPENAI_API_KEY", "hush"}});
  ASSERT_FALSE(keyless);
  EXPECT_NE(keyless.error().message.find("ANTHROPIC_API_KEY"), std::string::npos);
}

}  // namespace
}  // namespace braidlog::provider
