// The pure parts: messages, lines, names, schemas, results.
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "tool/mcp/foreign_schema.h"
#include "tool/mcp/header_value.h"
#include "tool/mcp/json_rpc.h"
#include "tool/mcp/line_reader.h"
#include "tool/mcp/tool_plan.h"
#include "tool/mcp/tool_result.h"

namespace braidlog::tool::mcp {
namespace {

json::object object(std::string_view text) {
  return parse_json(text).value().as_object();
}

TEST(JsonRpcTest, ReadsEveryKindOfMessage) {
  const auto result = read_messages(R"({"result":{"a":1},"jsonrpc":"2.0","id":7})").value().front();
  EXPECT_EQ(result.kind, RpcMessage::Kind::kResult);
  EXPECT_EQ(result.answered(), 7);
  EXPECT_EQ(read_messages(R"({"id":7.0,"result":1})").value().front().answered(), 7);
  const auto error = read_messages(R"({"id":8,"error":{"code":-32022,"message":"no","data":{"x":1}}})").value().front();
  EXPECT_EQ(error.kind, RpcMessage::Kind::kError);
  EXPECT_EQ(error.error.code, kUnsupportedVersion);
  EXPECT_EQ(error.error.message, "no");
  const auto request = read_messages(R"({"id":"q","method":"ping"})").value().front();
  EXPECT_EQ(request.kind, RpcMessage::Kind::kRequest);
  EXPECT_EQ(request.answered(), 0);
  EXPECT_EQ(read_messages(R"({"method":"notifications/x","params":{"a":1}})").value().front().kind,
            RpcMessage::Kind::kNotification);
  EXPECT_EQ(read_messages(R"([{"id":1,"result":{}},5,{"id":2,"result":{}}])").value().size(), 2U);
  for (const char* text : {"", "hello", "5", "[]", "{}", R"({"id":1})", R"({"result":1})", "{not json"}) {
    EXPECT_FALSE(read_messages(text)) << text;
  }
}

TEST(JsonRpcTest, ABatchMayNotAskForEverything) {
  std::string batch = "[";
  for (int i = 0; i < 150; ++i) batch += R"({"id":"q","method":"ping"},)";
  const auto read = read_messages(batch + R"({"id":7,"result":{}}])").value();
  EXPECT_EQ(read.size(), kRequestsPerBatchMax + 1);
  EXPECT_EQ(read.back().answered(), 7) << "answers are no requests";
}

TEST(JsonRpcTest, WritesThem) {
  EXPECT_EQ(request_text(3, "tools/list", {{"cursor", "x"}}),
            R"({"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}})");
  EXPECT_EQ(notification_text("notifications/initialized", {}),
            R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(result_text("q", {}), R"({"jsonrpc":"2.0","id":"q","result":{}})");
  EXPECT_EQ(error_text(nullptr, -32601, "no"), R"({"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}})");
}

TEST(JsonRpcTest, GuessesWhichRequestAnUnreadableMessageAnswers) {
  const auto guess = [](std::string_view text) { return guess_answered(text, text); };
  EXPECT_EQ(guess(R"({"jsonrpc":"2.0","id":12,"result":{"id":4)"), 12);
  EXPECT_EQ(guess(R"({"id": 12 ,"result":{)"), 12);
  EXPECT_EQ(guess(R"(xxxx"}]},"jsonrpc":"2.0","id":13})"), 13);
  EXPECT_EQ(guess(R"({"result":{"id":4}})"), std::nullopt) << "somebody else's";
  EXPECT_EQ(guess(R"({"id":"a","result":)"), std::nullopt);
  EXPECT_EQ(guess("Server started"), std::nullopt);
  EXPECT_EQ(guess(""), std::nullopt);
}

TEST(LineReaderTest, LinesWholeAndInPieces) {
  std::vector<std::string> lines, cut;
  const auto feed = [&](LineReader& reader, std::string_view bytes) {
    reader.feed(
        bytes, [&](std::string_view line) { lines.emplace_back(line); },
        [&](std::string_view head, std::string_view tail) {
          cut.push_back(std::string(head) + "…" + std::string(tail));
        });
  };
  const std::string text = "one\n\n \r\ntwo\r\n" + std::string(5'000, 'a') + "z\nthree\n";
  for (std::size_t piece = 1; piece <= text.size(); piece += piece < 20 ? 1 : 977) {
    LineReader reader(4'000);
    lines.clear();
    cut.clear();
    for (std::size_t at = 0; at < text.size(); at += piece) feed(reader, std::string_view(text).substr(at, piece));
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two\r", "three"})) << piece;
    ASSERT_EQ(cut.size(), 1U);
    EXPECT_EQ(cut[0], std::string(256, 'a') + "…" + std::string(255, 'a') + "z");
  }
}

TEST(HeaderValueTest, AsTheProtocolWritesThem) {
  EXPECT_EQ(header_value("us-west1"), "us-west1");
  EXPECT_EQ(header_value("Hello, 世界"), "=?base64?SGVsbG8sIOS4lueVjA==?=");
  EXPECT_EQ(header_value(" padded "), "=?base64?IHBhZGRlZCA=?=");
  EXPECT_EQ(header_value("line1\nline2"), "=?base64?bGluZTEKbGluZTI=?=");
  EXPECT_EQ(header_value("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
  EXPECT_EQ(header_value(""),
            "=?base64?"
            "?=");
  EXPECT_TRUE(is_header_token("Region-1"));
  EXPECT_FALSE(is_header_token("a b"));
  EXPECT_FALSE(is_header_token(""));
}

TEST(ToolNameTest, ProvidersTakeItAndNoTwoAreTheSame) {
  EXPECT_EQ(tool_name("fs", "read_text-file"), "fs__read_text-file");
  const auto dots = tool_name("fs", "a.b");
  EXPECT_EQ(dots.substr(0, 8), "fs__a_b_");
  EXPECT_NE(dots, tool_name("fs", "a/b"));
  const auto a = tool_name("fs", std::string(80, 'x'));
  const auto b = tool_name("fs", std::string(81, 'x'));
  EXPECT_EQ(a.size(), 64U);
  EXPECT_EQ(b.size(), 64U);
  EXPECT_NE(a, b);
}

TEST(ForeignSchemaTest, JudgesWhatItCanAndLeavesTheRest) {
  const auto fits = [](std::string_view schema, std::string_view value) {
    const auto compiled = compile_foreign(object(schema));
    EXPECT_TRUE(compiled) << compiled.error().message;
    return compiled && compiled->check(parse_json(value).value()).has_value();
  };
  EXPECT_FALSE(fits(R"({"type":"object","required":["a"]})", "{}"));
  EXPECT_TRUE(fits(R"({"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}})", R"({"a":1})"));
  EXPECT_FALSE(fits(R"({"properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}})", R"({"a":"1"})"));
  // An argument that is called pattern is still checked; a pattern is the server's business.
  EXPECT_FALSE(fits(R"({"properties":{"pattern":{"type":"string"},"b":{"pattern":"^(a|b)*$"}}})", R"({"pattern":5})"));
  EXPECT_TRUE(fits(R"({"properties":{"b":{"pattern":"^x$"}}})", R"({"b":"y"})"));
  EXPECT_TRUE(fits(R"({"not":{"properties":{"b":{"pattern":"^x$"}}}})", "{}")) << "never stricter than the schema";
  EXPECT_TRUE(fits(R"({"patternProperties":{"^x":{}},"additionalProperties":false})", R"({"x1":1})"));
  EXPECT_TRUE(fits(R"({"oneOf":[{"pattern":"a"},{"pattern":"b"}]})", R"("a")"));
}

TEST(ForeignSchemaTest, LeavesToTheServerWhatCostsTooMuch) {
  const auto unique = compile_foreign(object(R"({"items":{"type":"integer"},"uniqueItems":true})")).value();
  EXPECT_TRUE(unique.check(parse_json("[1,1]").value()));
  EXPECT_FALSE(unique.check(parse_json(R"([1,"1"])").value()));
  EXPECT_TRUE(compile_foreign(object(R"({"not":{"uniqueItems":true}})"))->check(json::array{1, 2}));
  json::array numbers;
  for (int i = 0; i < 50'000; ++i) numbers.emplace_back(i);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(unique.check(numbers));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(5));
  // A date is a regular expression, whose recursion goes as deep as the text is long.
  const auto date = compile_foreign(object(R"({"properties":{"day":{"type":"string","format":"date"}}})")).value();
  EXPECT_TRUE(date.check(json::object{{"day", std::string(300'000, '1')}}));
  EXPECT_FALSE(date.check(json::object{{"day", 5}}));
}

TEST(ForeignSchemaTest, ALargeValueIsNotHeldAgainstALargeSchema) {
  json::array choices;
  for (int i = 0; i < 1'000; ++i) choices.push_back(json::object{{"type", "string"}});
  const auto schema = compile_foreign({{"items", json::object{{"anyOf", choices}}}}).value();
  EXPECT_FALSE(schema.check(json::array{5}));
  EXPECT_TRUE(schema.check(json::array(10'000, json::value(5))));
  EXPECT_TRUE(schema.check(json::array{5, std::string(1'000'000, 'x')}));
  EXPECT_TRUE(schema.check(json::array{json::object{{std::string(1'000'000, 'x'), 5}}}));
}

TEST(ForeignSchemaTest, RefusesWhatCouldTakeForEver) {
  for (const char* schema : {
           R"({"$ref":"#/$defs/a","$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}})",
           R"({"properties":{"next":{"$ref":"#/properties/next"}}})",
           R"({"properties":{"a":{"$ref":"https://example.com/schema"}}})",
           R"({"properties":{"a":{"$ref":"#"}}})",
       }) {
    EXPECT_FALSE(compile_foreign(object(schema))) << schema;
  }
  std::string doubling = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 30; ++i) {
    const auto next = "{\"$ref\":\"#/$defs/d" + std::to_string(i + 1) + "\"}";
    doubling += "\"d" + std::to_string(i) + "\":{\"allOf\":[" + next + "," + next + "]},";
  }
  EXPECT_FALSE(compile_foreign(object(doubling + R"("d30":{}}})")));
}

TEST(ServerPlanTest, ValuesOfTheEnvironmentAreSecretsUnlessTheyArePlainlyNone) {
  const std::map<std::string, std::string> variables{
      {"TOKEN", "t0ken"},           {"DSN", "db-user:hunter2"},
      {"ROOT", "/srv/documents"},   {"LIMIT", "1000000000"},
      {"SHORT", "small"},           {"ADDRESS", "https://api.example.com/v1"},
      {"HOOK", "https://x.y/?k=1"}, {"DATABASE", "postgres://me:pass@db.example/x"},
      {"ODD", "/Rm9v+YmFyYmF6="}};
  api::McpServer entry;
  entry.name = "s";
  entry.command = {"x"};
  for (const auto& [name, value] : variables) entry.env.push_back(name);
  const auto plan = plan_server(
      entry,
      [&](const std::string& name) {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      nullptr);
  ASSERT_TRUE(plan) << plan.error().message;
  for (const char* secret : {"TOKEN", "DSN", "HOOK", "DATABASE", "ODD"}) {
    EXPECT_EQ(plan->secrets.removed_from(variables.at(secret)), "[secret]");
  }
  for (const char* plain : {"ROOT", "LIMIT", "SHORT", "ADDRESS"}) {
    EXPECT_EQ(plan->secrets.removed_from(variables.at(plain)), variables.at(plain));
  }
}

TEST(ToolPlanTest, TheVersionIsThatOfWhatAPersonApproved) {
  ServerPlan server;
  server.name = "s";
  const auto version = [&](std::string_view tool) {
    const auto plans = plan_tools({object(tool)}, server, Limits{}, Era::kLegacy);
    return plans.empty() ? std::string("none") : plans[0]->spec.version;
  };
  const auto one = version(R"({"name":"a","description":"d","inputSchema":{"type":"object"}})");
  EXPECT_EQ(one, version(R"({"inputSchema":{"type":"object"},"name":"a","description":"d","title":"t"})"));
  EXPECT_NE(one, version(R"({"name":"a","description":"e","inputSchema":{"type":"object"}})"));
  EXPECT_NE(one, version(R"({"name":"a","description":"d","inputSchema":{"type":"object","properties":{"x":{}}}})"));
  EXPECT_NE(one, version(R"({"name":"b","description":"d","inputSchema":{"type":"object"}})"));
  EXPECT_EQ(version(R"({"description":"no name"})"), "none");
  const auto odd =
      plan_tools({object(R"({"name":"a","inputSchema":{"$ref":"#/nowhere"}})")}, server, Limits{}, Era::kLegacy);
  ASSERT_EQ(odd.size(), 1U) << "a schema that cannot be checked here is the server's to judge";
  EXPECT_FALSE(odd[0]->arguments);
}

TEST(ToolResultTest, OddAnswers) {
  const ToolPlan plan;
  const auto outcome = [&](std::string_view text) { return outcome_of(parse_json(text).value(), plan); };
  EXPECT_EQ(outcome("5").status, ToolStatus::kToolError);
  EXPECT_EQ(outcome("{}").status, ToolStatus::kOk);
  EXPECT_EQ(outcome("{}").text, "");
  EXPECT_EQ(outcome(R"({"content":[{"type":"new"},5]})").text, "[new]");
  EXPECT_EQ(outcome(R"({"isError":true,"content":[]})").status, ToolStatus::kToolError);
  EXPECT_EQ(outcome(R"({"resultType":"task"})").status, ToolStatus::kToolError);
  EXPECT_EQ(outcome(R"({"structuredContent":{"b":1,"a":2}})").text, R"({"b":1,"a":2})");
  EXPECT_EQ(outcome(R"({"content":[{"type":"audio","mimeType":"audio/wav","data":"AAAA"}]})").text,
            "[audio, audio/wav, 3 bytes]");
}

}  // namespace
}  // namespace braidlog::tool::mcp
