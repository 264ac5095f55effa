#include "app/options.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace braidlog::app {
namespace {

Result<Command> parse(std::vector<std::string> words) {
  words.insert(words.begin(), "braidlog");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  return parse_command_line(static_cast<int>(argv.size()), argv.data());
}

std::string error_of(const std::vector<std::string>& words) {
  const auto command = parse(words);
  return command ? "" : command.error().message;
}

class ConfigTest : public ::testing::Test {
 protected:
  ~ConfigTest() override { std::remove(file_.c_str()); }
  std::string write(const std::string& text) {
    std::ofstream(file_) << text;
    return file_;
  }
  std::string file_ = ::testing::TempDir() + "braidlog_config_" + std::to_string(::getpid()) + ".yaml";
};

TEST(Options, Defaults) {
  const auto command = parse({"serve"});
  ASSERT_TRUE(command.has_value());
  EXPECT_EQ(command->serve.host, "127.0.0.1");
  EXPECT_EQ(command->serve.port, 8000);
  EXPECT_EQ(command->serve.durability, store::Durability::kFull);
  EXPECT_FALSE(command->serve.dev);
}

TEST(Options, BadFlagsAreOneLineThatNamesThePlace) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"serve", "--lisen", "x"}, "--lisen"},
      {{"serve", "--listen", "nonsense"}, "listen"},
      {{"serve", "--listen", "127.0.0.1:99999"}, "listen"},
      {{"serve", "--listen", "127.0.0.1:99999999999"}, "listen"},
      {{"serve", "--durability", "sometimes"}, "durability"},
      {{"serve", "--log-level", "loud"}, "log-level"},
      {{"serve", "--threads", "many"}, "--threads"},
      {{"serve", "--dev", "--listen", "0.0.0.0:8000"}, "loopback"},
      {{"serve", "--config", "/no/such/file.yaml"}, "/no/such/file.yaml"},
      {{"dance"}, "dance"},
      {{}, "subcommand"},
      {{"agents", "check"}, "DIR"},
  };
  for (const auto& [words, place] : cases) {
    const std::string error = error_of(words);
    EXPECT_NE(error.find(place), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Options, ListenAddresses) {
  ServeOptions options;
  ASSERT_TRUE(set_listen("[::1]:0", options).has_value());
  EXPECT_EQ(options.host, "::1");
  EXPECT_TRUE(is_loopback(options.host));
  EXPECT_FALSE(is_loopback("10.0.0.1"));
  EXPECT_FALSE(set_listen(":80", options).has_value());
}

TEST_F(ConfigTest, FlagsWinOverTheFile) {
  const auto file = write("listen: 127.0.0.1:9001\ndev: true\nlimits:\n  stall_timeout: 1234\n");
  const auto command = parse({"serve", "--config", file, "--listen", "127.0.0.1:9002"});
  ASSERT_TRUE(command.has_value()) << command.error().message;
  EXPECT_EQ(command->serve.port, 9002);
  EXPECT_TRUE(command->serve.dev);
  EXPECT_EQ(command->serve.limits.stall_timeout.count(), 1234);
}

TEST_F(ConfigTest, EveryFaultHasItsLine) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"dev: true\nlissen: x\n", ":2: unknown setting 'lissen'"},
      {"limits:\n  stall_timeout: 5\n  stal: 5\n", ":3: unknown limit 'stal'"},
      {"limits:\n  stall_timeout: soon\n", ":2: stall_timeout"},
      {"durability: maybe\n", ":1: durability"},
      {"dev: perhaps\n", ":1: dev"},
      {"- a\n", ":1: "},
      {"a: [\n", ":"},
      {"threads: x\n", ":1: threads"},
  };
  for (const auto& [text, place] : cases) {
    ServeOptions options;
    const auto read = read_config(write(text), options);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_NE(read.error().message.find(file_ + place), std::string::npos) << read.error().message;
  }
}

TEST(Limits, TheDocumentIsUpToDate) {
  std::ifstream in(BRAIDLOG_SOURCE_DIR "/docs/limits.md");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_EQ(text, limits_document()) << "run: braidlog limits --markdown > docs/limits.md";
}

}  // namespace
}  // namespace braidlog::app
