#include "provider/model_choice.h"

#include <gtest/gtest.h>

#include <map>

namespace braidlog::provider {
namespace {

class ModelChoiceTest : public ::testing::Test {
 protected:
  Result<std::shared_ptr<Model>> choose(const api::ModelSpec& spec, std::map<std::string, std::string> variables = {}) {
    const auto environment = [variables](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    return choose_model(spec, {servers_, environment, std::nullopt});
  }
  std::string provider(const api::ModelSpec& spec, std::map<std::string, std::string> variables = {}) {
    const auto model = choose(spec, std::move(variables));
    EXPECT_TRUE(model) << model.error().message;
    return model ? std::string((*model)->provider()) + "/" + std::string((*model)->name()) : "";
  }

  Limits limits_;
  std::unique_ptr<HttpClients> clients_ = std::move(*HttpClients::make({}, limits_));
  ModelServers servers_{*clients_, limits_};
};

TEST_F(ModelChoiceTest, AutoIsWhatTheEnvironmentHas) {
  EXPECT_EQ(provider({}), "offline/offline");
  EXPECT_EQ(provider({}, {{"OPENAI_API_KEY", "k"}}), "openai/gpt-4o-mini");
  EXPECT_EQ(provider({.name = "m"}, {{"OPENAI_BASE_URL", "http://a/v1"}}), "openai/m");
  EXPECT_EQ(provider({}, {{"ANTHROPIC_API_KEY", "k"}}), "anthropic/claude-haiku-4-5");
  EXPECT_EQ(provider({.name = "m"}, {{"ANTHROPIC_BASE_URL", "http://a"}}), "anthropic/m");
  EXPECT_EQ(provider({.name = "m"}, {{"ANTHROPIC_API_KEY", "k"}, {"OPENAI_BASE_URL", "http://a/v1"}}), "openai/m");
  EXPECT_EQ(provider({.fail = "hang"}, {{"OPENAI_API_KEY", "k"}, {"ANTHROPIC_API_KEY", "k"}}), "offline/offline");
}

TEST_F(ModelChoiceTest, ANamedProviderIsThatOne) {
  EXPECT_EQ(provider({.provider = "offline"}, {{"OPENAI_API_KEY", "k"}}), "offline/offline");
  EXPECT_EQ(provider({.provider = "openai", .name = "m", .base_url = "http://a/v1"}), "openai/m");
  EXPECT_EQ(provider({.provider = "anthropic", .name = "m", .base_url = "http://a"}), "anthropic/m");
  EXPECT_FALSE(choose({.provider = "anthropic"}, {{"OPENAI_API_KEY", "k"}}));
  EXPECT_FALSE(choose({.provider = "nobody"}));
  const auto keyless = choose({.provider = "openai"});
  ASSERT_FALSE(keyless);
  EXPECT_EQ(keyless.error().code, ErrorCode::kBadField);
}

TEST_F(ModelChoiceTest, TheContextIsTheSpecs) {
  EXPECT_EQ((*choose({}))->context_tokens(), 0u);
  EXPECT_EQ((*choose({.context_tokens = 8'000}))->context_tokens(), 8'000u);
  EXPECT_EQ((*choose({.context_tokens = 8'000, .fallback = {{}, {.context_tokens = 4'000}}}))->context_tokens(),
            4'000u);
}

TEST_F(ModelChoiceTest, EveryFallbackMustBeOneThatCanBeAsked) {
  api::ModelSpec spec{.provider = "openai", .base_url = "http://a/v1"};
  spec.fallback.push_back({.provider = "offline"});
  EXPECT_TRUE(choose(spec));
  spec.fallback[0].fallback.push_back({.provider = "anthropic"});
  const auto keyless = choose(spec);
  ASSERT_FALSE(keyless);
  EXPECT_NE(keyless.error().message.find("ANTHROPIC_API_KEY"), std::string::npos);
}

}  // namespace
}  // namespace braidlog::provider
