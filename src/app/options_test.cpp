#include "app/options.h"

#include <gtest/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "app/routes_command.h"
#include "app/settings.h"
#include "base/json.h"

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
      {{"serve", "--metrics-listen", "9090"}, "metrics-listen"},
      {{"serve", "--trusted-proxy", "10.0.0.1/8"}, "trusted-proxy"},
      {{"serve", "--trusted-proxy", "proxy.example"}, "trusted-proxy"},
      {{"serve", "--allow-origin", "https://app.example/"}, "allow-origin"},
      {{"serve", "--allow-origin", "app.example"}, "allow-origin"},
      {{"serve", "--allow-origin", "*"}, "allow-origin"},
      {{"user"}, "subcommand"},
      {{"user", "add"}, "NAME"},
      {{"user", "add", ""}, "user name"},
      {{"user", "add", "a b"}, "user name"},
      {{"user", "add", std::string(65, 'a')}, "user name"},
      {{"user", "add", "Demo"}, "demo"},
      {{"user", "add", "ada", "secret"}, "secret"},
      {{"user", "dance", "ada"}, "dance"},
      {{"key", "create"}, "USER"},
      {{"key", "create", "ada", "--expires", "soon"}, "expires"},
      {{"key", "create", "ada", "--expires", "0d"}, "expires"},
      {{"key", "create", "ada", "--label", std::string(201, 'x')}, "label"},
      {{"key", "create", "ada", "--label", "two\nlines"}, "label"},
      {{"key", "revoke"}, "ID"},
      {{"chat", "--colour"}, "--colour"},
      {{"chat", "--url", "127.0.0.1:8000"}, "--url"},
      {{"chat", "--url", "http://user:secret@host"}, "--url"},
      {{"chat", "--key-file", "/no/such/key"}, "/no/such/key"},
      {{"chat", "--agent", "writer", "--session", "sess_1"}, "--agent"},
      {{"runs"}, "subcommand"},
      {{"runs", "dance"}, "dance"},
      {{"runs", "show"}, "ID"},
      {{"runs", "tail"}, "ID"},
      {{"runs", "list", "--status", "tired"}, "--status"},
      {{"runs", "list", "--limit", "0"}, "--limit"},
      {{"runs", "list", "--limit", "many"}, "--limit"},
      {{"runs", "tail", "run_1", "--contract", "grpc"}, "--contract"},
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

TEST(Options, ProxiesAndMetrics) {
  const auto command =
      parse({"serve", "--trusted-proxy", "10.0.0.0/8", "--trusted-proxy", "::1", "--metrics-listen", "127.0.0.1:9464",
             "--allow-origin", "https://app.example", "--allow-address", "10.9.0.0/16"});
  ASSERT_TRUE(command.has_value()) << command.error().message;
  ASSERT_EQ(command->serve.allowed_addresses.size(), 1u);
  EXPECT_TRUE(command->serve.allowed_addresses[0].contains(*IpAddress::parse("10.9.2.3")));
  ASSERT_EQ(command->serve.trusted_proxies.size(), 2u);
  EXPECT_TRUE(command->serve.trusted_proxies[0].contains(*IpAddress::parse("10.1.2.3")));
  ASSERT_TRUE(command->serve.metrics.has_value());
  EXPECT_EQ(command->serve.metrics->port, 9464);
  EXPECT_EQ(command->serve.allowed_origins, std::vector<std::string>{"https://app.example"});
}

TEST(Options, UsersAndKeys) {
  using Verb = IdentityCommand::Verb;
  const auto identity = [](std::vector<std::string> words) {
    words.insert(words.end(), {"--data", "folder"});
    const auto command = parse(words);
    EXPECT_TRUE(command.has_value()) << command.error().message;
    EXPECT_EQ(command->kind, Command::Kind::kIdentity);
    EXPECT_EQ(command->identity.data, "folder");
    return command->identity;
  };
  auto add = identity({"user", "add", "ada@example.com", "--admin"});
  EXPECT_EQ(add.verb, Verb::kUserAdd);
  EXPECT_EQ(add.subject, "ada@example.com");
  EXPECT_TRUE(add.is_admin);
  EXPECT_FALSE(identity({"user", "add", "bob"}).is_admin);
  EXPECT_EQ(identity({"user", "list"}).verb, Verb::kUserList);
  EXPECT_EQ(identity({"user", "passwd", "ada"}).verb, Verb::kUserPassword);
  EXPECT_EQ(identity({"user", "disable", "ada"}).verb, Verb::kUserDisable);
  EXPECT_EQ(identity({"user", "enable", "ada"}).verb, Verb::kUserEnable);
  const auto key = identity({"key", "create", "ada", "--label", "my laptop", "--expires", "90d"});
  EXPECT_EQ(key.verb, Verb::kKeyCreate);
  EXPECT_EQ(key.label, "my laptop");
  EXPECT_EQ(key.expires_in, std::chrono::hours(90 * 24));
  EXPECT_EQ(identity({"key", "list"}).subject, "");
  EXPECT_EQ(identity({"key", "list", "ada"}).subject, "ada");
  EXPECT_EQ(identity({"key", "revoke", "key_1"}).verb, Verb::kKeyRevoke);
}

TEST(Options, TheTerminalFindsItsServer) {
  const auto command = parse({"chat"});
  ASSERT_TRUE(command.has_value()) << command.error().message;
  EXPECT_EQ(command->kind, Command::Kind::kChat);
  EXPECT_EQ(command->chat.endpoint.url, "http://127.0.0.1:8000");
  EXPECT_EQ(command->chat.endpoint.key, "");
  ::setenv("BRAIDLOG_URL", "https://agents.example/base/", 1);
  ::setenv("BRAIDLOG_KEY", "bk_secret", 1);
  EXPECT_EQ(parse({"chat"})->chat.endpoint.url, "https://agents.example/base");
  EXPECT_EQ(parse({"chat"})->chat.endpoint.key, "bk_secret");
  EXPECT_EQ(parse({"chat", "--url", "http://[::1]:9"})->chat.endpoint.url, "http://[::1]:9");
  ::setenv("BRAIDLOG_KEY", "two words", 1);
  const std::string error = error_of({"runs", "list"});
  EXPECT_NE(error.find("BRAIDLOG_KEY"), std::string::npos) << error;
  EXPECT_EQ(error.find("two words"), std::string::npos) << error;
  ::unsetenv("BRAIDLOG_URL");
  ::unsetenv("BRAIDLOG_KEY");
}

TEST_F(ConfigTest, AKeyIsTheFirstLineOfItsFile) {
  EXPECT_EQ(parse({"chat", "--key-file", write("  bk_secret \r\nmore\n")})->chat.endpoint.key, "bk_secret");
  EXPECT_NE(error_of({"chat", "--key-file", write("\n")}).find(file_), std::string::npos);
  EXPECT_NE(error_of({"chat", "--key-file", write(std::string("a\0b", 3))}).find(file_), std::string::npos);
}

TEST(Options, WhatTheTerminalIsTold) {
  const auto chat = parse({"chat", "--agent", "writer", "--yes"});
  ASSERT_TRUE(chat.has_value()) << chat.error().message;
  EXPECT_EQ(chat->chat.agent, "writer");
  EXPECT_TRUE(chat->chat.yes);
  EXPECT_EQ(parse({"chat", "--session", "sess_1"})->chat.session, "sess_1");
  using Verb = terminal::RunsOptions::Verb;
  const auto list = parse({"runs", "list", "--status", "failed", "--limit", "300", "--all", "--json"});
  ASSERT_TRUE(list.has_value()) << list.error().message;
  EXPECT_EQ(list->kind, Command::Kind::kRuns);
  EXPECT_EQ(list->runs.verb, Verb::kList);
  EXPECT_EQ(list->runs.status, "failed");
  EXPECT_EQ(list->runs.limit, 300u);
  EXPECT_TRUE(list->runs.all && list->runs.json);
  EXPECT_EQ(parse({"runs", "list"})->runs.limit, 20u);
  EXPECT_EQ(parse({"runs", "show", "run_1"})->runs.verb, Verb::kShow);
  const auto tail = parse({"runs", "tail", "run_1", "--contract", "tasks", "--from", "evt_1"});
  ASSERT_TRUE(tail.has_value()) << tail.error().message;
  EXPECT_EQ(tail->runs.verb, Verb::kTail);
  EXPECT_EQ(tail->runs.id, "run_1");
  EXPECT_EQ(tail->runs.contract, "tasks");
  EXPECT_EQ(tail->runs.from, "evt_1");
}

TEST_F(ConfigTest, TheCommandsFindTheFolderOfTheServer) {
  const auto file = write("data: from-the-file\n");
  EXPECT_EQ(parse({"user", "list"})->identity.data, "braidlog-data");
  ::setenv("BRAIDLOG_CONFIG", file.c_str(), 1);
  EXPECT_EQ(parse({"user", "list"})->identity.data, "from-the-file");
  ::setenv("BRAIDLOG_DATA", "from-the-environment", 1);
  EXPECT_EQ(parse({"user", "list"})->identity.data, "from-the-environment");
  EXPECT_EQ(parse({"user", "list", "--data", "flag"})->identity.data, "flag");
  ::unsetenv("BRAIDLOG_DATA");
  ::unsetenv("BRAIDLOG_CONFIG");
}

TEST_F(ConfigTest, ListsComeFromEveryPlace) {
  const auto file = write(
      "allow-origin: [https://a.example, https://b.example]\ntrusted-proxy: 10.0.0.0/8\n"
      "metrics-listen: 127.0.0.1:9464\nallow-address: [10.1.0.0/16, \"::1\"]\n");
  auto command = parse({"serve", "--config", file});
  ASSERT_TRUE(command.has_value()) << command.error().message;
  EXPECT_EQ(command->serve.allowed_origins.size(), 2u);
  EXPECT_EQ(command->serve.trusted_proxies.size(), 1u);
  EXPECT_EQ(command->serve.metrics->port, 9464);
  EXPECT_EQ(command->serve.allowed_addresses.size(), 2u);
  EXPECT_NE(error_of({"serve", "--allow-address", "10.0.0.1/8"}).find("allow-address"), std::string::npos);
  ::setenv("BRAIDLOG_TRUSTED_PROXY", "10.0.0.0/8,192.168.0.0/16", 1);
  command = parse({"serve", "--config", file});
  EXPECT_EQ(command->serve.trusted_proxies.size(), 2u);
  command = parse({"serve", "--trusted-proxy", "::1"});
  EXPECT_EQ(command->serve.trusted_proxies.size(), 1u);
  ::unsetenv("BRAIDLOG_TRUSTED_PROXY");
}

TEST(Routes, EveryOneIsListedOnceWithItsAccess) {
  const auto document = parse_json(routes_document(true));
  ASSERT_TRUE(document.has_value()) << document.error().message;
  std::map<std::string, std::string> access;
  for (const auto& entry : document->at("routes").as_array()) {
    const auto& route = entry.as_object();
    const auto key = std::string(route.at("method").as_string()) + " " + std::string(route.at("path").as_string());
    EXPECT_TRUE(access.emplace(key, route.at("access").as_string()).second) << key << " is there twice";
    for (const char* name : {"dialect", "body"}) EXPECT_FALSE(route.at(name).as_string().empty()) << key;
    for (const char* name : {"streams", "starts_run"}) EXPECT_TRUE(route.at(name).is_bool()) << key;
  }
  EXPECT_EQ(access["POST /auth/login"], "open");
  EXPECT_EQ(access["GET /health"], "open");
  EXPECT_EQ(access["GET /metrics"], "admin");
  EXPECT_EQ(access["POST /agent/stream"], "credential");
  EXPECT_EQ(access["GET /api/v1/runs/{}/stream"], "user");
  // Whatever is not one of these is closed.
  for (const auto& [route, who] : access) {
    const bool is_open = who == "open";
    const bool may_be_open = route == "POST /auth/login" || route == "GET /health" || route == "GET /ready" ||
                             route == "GET /" || route == "GET /assets/{}" || route == "GET /favicon.svg";
    EXPECT_TRUE(!is_open || may_be_open) << route;
  }
  EXPECT_NE(routes_document(false).find("/auth/login"), std::string::npos);
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
      {"dev: true\ntrusted-proxy: [10.0.0.0/8, nonsense]\n", ":2: trusted-proxy"},
      {"allow-origin: {a: b}\n", ":1: expected a value or a list"},
      {"metrics-listen: 9464\n", ":1: metrics-listen"},
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
