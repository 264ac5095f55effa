#include <gtest/gtest.h>

#include "agent/testing/parsing.h"

namespace braidlog::agent {
namespace {

using testing::faults;
using testing::parsed;

TEST(ModelReader, Models) {
  EXPECT_EQ(faults("model: x"), "a.yaml:2:8: 'model' must be a mapping");
  EXPECT_EQ(faults("model: {provider: magic}"), "a.yaml:2:19: 'provider' must be auto, offline, openai or anthropic");
  for (const char* value : {"hot", "-1", "2.1", "nan", "1x", "[1]"}) {
    EXPECT_EQ(faults("model: {temperature: " + std::string(value) + "}"),
              "a.yaml:2:22: 'temperature' must be a number from 0 to 2");
  }
  EXPECT_EQ(faults("model: {pace: 15}"), "a.yaml:2:15: 'pace' must be a duration such as 500ms, 90s, 30m or 1h");
  EXPECT_EQ(faults("model: {fail: never}"), "a.yaml:2:15: 'fail' must be one of timeout, hang");
  EXPECT_EQ(faults("model: {name: [x]}"), "a.yaml:2:15: 'name' must be a text");
}

TEST(ModelReader, ServersAndKeys) {
  for (const std::string provider : {"openai", "anthropic"}) {
    const auto model = parsed(
                           "name: a\nmodel: {api_key_env: OWN_KEY_2, base_url: 'http://127.0.0.1:1/v1', name: m,\n"
                           "        max_tokens: 100, context_tokens: 32000, provider: " +
                           provider + "}\n")
                           .model;
    EXPECT_EQ(model.provider, provider);
    EXPECT_EQ(model.base_url, "http://127.0.0.1:1/v1");
    EXPECT_EQ(model.api_key_env, "OWN_KEY_2");
    EXPECT_EQ(model.max_tokens, 100u);
    EXPECT_EQ(model.context_tokens, 32'000u);
    EXPECT_FALSE(model.returns_reasoning);
  }
  for (const char* url : {"x", "'ftp://x'", "'http://me:hush@x'", "'http://x?k=hush'", "[x]"}) {
    const auto said = faults("model: {provider: openai, base_url: " + std::string(url) + "}");
    EXPECT_TRUE(said.starts_with("a.yaml:2:37: 'base_url' must be")) << said;
    EXPECT_EQ(said.find("hush"), std::string::npos);
  }
  for (const char* name : {"sk-hush", "''", "1A", "'A B'", "[A]"}) {
    EXPECT_EQ(faults("model: {provider: openai, api_key_env: " + std::string(name) + "}"),
              "a.yaml:2:40: 'api_key_env' must be the name of an environment variable");
  }
  for (const char* count : {"0", "-1", "many", "1.5", "99999999999"}) {
    EXPECT_EQ(faults("model: {max_tokens: " + std::string(count) + "}"),
              "a.yaml:2:21: 'max_tokens' must be a number from 1");
    EXPECT_EQ(faults("model: {context_tokens: " + std::string(count) + "}"),
              "a.yaml:2:25: 'context_tokens' must be a number from 1");
  }
  EXPECT_EQ(faults("model: {base_url: 'http://x'}"),
            "a.yaml:2:19: 'base_url' needs 'provider: openai' or 'provider: anthropic'");
  EXPECT_EQ(faults("model: {provider: offline, api_key_env: K}"),
            "a.yaml:2:41: 'api_key_env' needs 'provider: openai' or 'provider: anthropic'");
}

TEST(ModelReader, Reasoning) {
  EXPECT_TRUE(parsed("name: a\nmodel: {provider: openai, returns_reasoning: true}").model.returns_reasoning);
  EXPECT_FALSE(parsed("name: a\nmodel: {provider: openai, returns_reasoning: false}").model.returns_reasoning);
  for (const char* value : {"yes", "1", "'true'", "[true]"}) {
    EXPECT_EQ(faults("model: {returns_reasoning: " + std::string(value) + "}"),
              "a.yaml:2:28: 'returns_reasoning' must be true or false");
  }
  EXPECT_EQ(faults("model: {provider: anthropic, returns_reasoning: true}"),
            "a.yaml:2:49: 'returns_reasoning' is for 'provider: openai'");
}

TEST(ModelReader, Fallbacks) {
  const auto model = parsed(R"(name: a
model:
  provider: openai
  name: large
  temperature: 0.5
  fallback:
    - {provider: anthropic, name: other, max_tokens: 9}
    - {provider: openai, name: small, base_url: 'http://127.0.0.1:1/v1', api_key_env: K}
    - {provider: offline, pace: 0ms}
)")
                         .model;
  ASSERT_EQ(model.fallback.size(), 3u);
  EXPECT_EQ(model.fallback[0].provider, "anthropic");
  EXPECT_EQ(model.fallback[0].max_tokens, 9u);
  EXPECT_FALSE(model.fallback[0].temperature) << "each stands for itself";
  EXPECT_EQ(model.fallback[1].api_key_env, "K");
  EXPECT_EQ(model.fallback[2].provider, "offline");
  EXPECT_TRUE(model.fallback[2].pace);

  const std::string list_rule =
      "a.yaml:2:19: 'fallback' must be a list of 1 to 8 models, as in [{provider: openai, name: NAME}]";
  EXPECT_EQ(faults("model: {fallback: x}"), list_rule);
  EXPECT_EQ(faults("model: {fallback: []}"), list_rule);
  EXPECT_EQ(faults("model: {fallback: [{}, {}, {}, {}, {}, {}, {}, {}, {}]}"), list_rule);
  EXPECT_EQ(faults("model: {fallback: [gpt]}"), "a.yaml:2:20: a model of 'fallback' must be a mapping");
  EXPECT_EQ(faults("model:\n  fallback:\n    - {naem: x, temprature: 1}"),
            "a.yaml:4:8: unknown key 'naem'\na.yaml:4:17: unknown key 'temprature' (did you mean 'temperature'?)");
  EXPECT_EQ(faults("model: {fallback: [{fallback: [{name: x}]}]}"),
            "a.yaml:2:31: a model of 'fallback' has no 'fallback' of its own: list them all in one");
  EXPECT_EQ(faults("model:\n  name: unknown\n  fallback: [{name: x}, {name: unknown}]"),
            "a.yaml:3:3: there is no key for it\na.yaml:4:25: there is no key for it")
      << "each by itself, in its own place";
  EXPECT_EQ(faults("model: {fallback: [{base_url: 'http://x'}]}"),
            "a.yaml:2:31: 'base_url' needs 'provider: openai' or 'provider: anthropic'");
}

}  // namespace
}  // namespace braidlog::agent
