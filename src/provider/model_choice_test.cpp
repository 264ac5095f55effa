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
    return choose_model(spec, {openai_, environment, std::nullopt});
  }
  std::string provider(const api::ModelSpec& spec, std::map<std::string, std::string> variables = {}) {
    const auto model = choose(spec, std::move(variables));
    EXPECT_TRUE(model) << model.error().message;
    return model ? std::string((*model)->provider()) + "/" + std::string((*model)->name()) : "";
  }

  Limits limits_;
  std::unique_ptr<HttpClients> clients_ = std::move(*HttpClients::make({}, limits_));
  OpenAiProvider openai_{*clients_, limits_};
};

TEST_F(ModelChoiceTest, AutoIsWhatTheEnvironmentHas) {
  EXPECT_EQ(provider({}), "offline/offline");
  EXPECT_EQ(provider({}, {{"OPENAI_API_KEY", "k"}}), "openai/gpt-4o-mini");
  EXPECT_EQ(provider({.name = "m"}, {{"OPENAI_BASE_URL", "http://a/v1"}}), "openai/m");
  EXPECT_EQ(provider({.fail = "hang"}, {{"OPENAI_API_KEY", "k"}}), "offline/offline");
}

TEST_F(ModelChoiceTest, ANamedProviderIsThatOne) {
  EXPECT_EQ(provider({.provider = "offline"}, {{"OPENAI_API_KEY", "k"}}), "offline/offline");
  EXPECT_EQ(provider({.provider = "openai", .name = "m", .base_url = "http://a/v1"}), "openai/m");
  const auto keyless = choose({.provider = "openai"});
  ASSERT_FALSE(keyless);
  EXPECT_EQ(keyless.error().code, ErrorCode::kBadField);
}

}  // namespace
}  // namespace braidlog::provider
