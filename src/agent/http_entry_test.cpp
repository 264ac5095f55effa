#include "agent/http_entry.h"

#include <gtest/gtest.h>

#include "agent/testing/parsing.h"
#include "agent/url_rules.h"

namespace braidlog::agent {
namespace {

using testing::tool_faults;
using testing::with_tool;

// A tool whose settings are these besides those it must have; they begin at 3:48.
std::string http(const std::string& more) {
  return "http: {name: t, description: d, url: 'http://x', " + more + "}";
}

TEST(HttpEntry, ReadsEverything) {
  const auto agent = with_tool(R"(http:
      name: get_order
      description: The state of an order
      method: PATCH
      url: "https://shop.example:8443/orders/{id}/lines/{line}?lang={lang}"
      parameters:
        type: object
        properties:
          id: {type: string, description: "12", pattern: '^[0-9]+$'}
          line: {type: integer, minimum: 1, maximum: 0x1f}
          lang: {enum: [de, "on", on, true, null, 1.50, -3, '7']}
        required: [id, line]
        additionalProperties: false
      headers: {Authorization: "Bearer ${SET_TOKEN}", X-Plain: "$${NOT}"}
      writes: false
      idempotent: true
      timeout: 5s
      response_limit: 64KiB
      addresses: [127.0.0.0/8]
)");
  ASSERT_EQ(agent.http_tools.size(), 1u);
  const auto& tool = agent.http_tools[0];
  EXPECT_EQ(tool.name, "get_order");
  EXPECT_EQ(tool.description, "The state of an order");
  EXPECT_EQ(tool.method, "PATCH");
  EXPECT_EQ(tool.url, "https://shop.example:8443/orders/{id}/lines/{line}?lang={lang}");
  EXPECT_EQ(tool.parameters_json,
            R"({"type":"object","properties":{"id":{"type":"string","description":"12","pattern":"^[0-9]+$"},)"
            R"("line":{"type":"integer","minimum":1,"maximum":31},)"
            R"("lang":{"enum":["de","on","on",true,null,1.5,-3,"7"]}},)"
            R"("required":["id","line"],"additionalProperties":false})");
  EXPECT_EQ(tool.headers,
            (std::map<std::string, std::string>{{"Authorization", "Bearer ${SET_TOKEN}"}, {"X-Plain", "$${NOT}"}}));
  EXPECT_FALSE(tool.writes);
  EXPECT_TRUE(tool.idempotent);
  EXPECT_EQ(tool.timeout, std::chrono::seconds(5));
  EXPECT_EQ(tool.response_bytes_max, 64u * 1024);
  EXPECT_EQ(tool.addresses, std::vector<std::string>{"127.0.0.0/8"});
  EXPECT_EQ(agent.tools, std::vector<std::string>{"get_order"});
}

TEST(HttpEntry, LittleIsEnough) {
  const auto tool = with_tool("http: {name: t, description: d, url: 'http://x'}").http_tools.at(0);
  EXPECT_EQ(tool.method, "GET");
  EXPECT_TRUE(tool.writes) << "until the operator says that it does not";
  EXPECT_FALSE(tool.idempotent);
  EXPECT_EQ(tool.parameters_json, R"({"type":"object","properties":{},"additionalProperties":false})");
  EXPECT_FALSE(tool.timeout);
  EXPECT_FALSE(tool.response_bytes_max);
}

TEST(HttpEntry, WhatIsMissing) {
  EXPECT_EQ(tool_faults("http: {}"),
            "a.yaml:3:11: 'http' needs a 'name'\n"
            "a.yaml:3:11: 'http' needs a 'description': it tells the model what the tool is for\n"
            "a.yaml:3:11: 'http' needs a 'url'");
  EXPECT_EQ(tool_faults("http"), "a.yaml:3:5: 'http' needs settings, as in http: {name: NAME, …}");
  EXPECT_EQ(tool_faults("http: x"),
            "a.yaml:3:11: 'http' must be a mapping, as in http: {name: NAME, description: TEXT, url: URL}");
  EXPECT_EQ(tool_faults("http: {name: t, description: '', url: 'http://x'}"),
            "a.yaml:3:34: 'description' must be a text");
}

TEST(HttpEntry, Names) {
  for (const std::string& name :
       std::vector<std::string>{"get order", "get.order", "bestellung-ü", "", std::string(65, 'a')}) {
    EXPECT_EQ(tool_faults("http: {name: '" + name + "', description: d, url: 'http://x'}"),
              "a.yaml:3:18: 'name' of a tool must be 1 to 64 letters, digits, underscores or hyphens");
  }
  for (const std::string name : {"calculator", "file_write", "set_tasks", "final_answer", "web_search"}) {
    EXPECT_EQ(tool_faults("http: {name: " + name + ", description: d, url: 'http://x'}"),
              "a.yaml:3:11: '" + name + "' is the name of a built-in tool: call this one something else");
  }
  const std::string tool = "http: {name: fs__read, description: d, url: 'http://x'}";
  EXPECT_EQ(tool_faults(tool + "\n  - " + tool), "a.yaml:4:5: tool 'fs__read' is there twice");
  EXPECT_EQ(tool_faults(tool + "\n  - mcp: {name: fs, command: [a]}"),
            "a.yaml:4:5: tool 'fs__read' is named like a tool of MCP server 'fs'");
  EXPECT_EQ(tool_faults("mcp: {name: fs, command: [a]}\n  - " + tool),
            "a.yaml:4:5: tool 'fs__read' is named like a tool of MCP server 'fs'");
  EXPECT_TRUE(tool_faults("http: {name: get-order, description: d, url: 'http://x'}", "style: code")
                  .starts_with("a.yaml:3:5: 'get-order' cannot be called from code"));
}

TEST(HttpEntry, Values) {
  EXPECT_EQ(tool_faults(http("method: get")), "a.yaml:3:62: 'method' must be GET, POST, PUT, PATCH or DELETE");
  EXPECT_EQ(tool_faults(http("method: TRACE")), "a.yaml:3:62: 'method' must be GET, POST, PUT, PATCH or DELETE");
  EXPECT_EQ(tool_faults(http("writes: no")), "a.yaml:3:62: 'writes' must be true or false");
  EXPECT_EQ(tool_faults(http("idempotent: 1")), "a.yaml:3:66: 'idempotent' must be true or false");
  EXPECT_EQ(tool_faults(http("timeout: 5")), "a.yaml:3:63: 'timeout' must be a duration such as 500ms, 90s, 30m or 1h");
  EXPECT_EQ(tool_faults(http("metod: GET")), "a.yaml:3:54: unknown key 'metod' (did you mean 'method'?)");
  EXPECT_EQ(tool_faults(http("response_limit: 1")), "");
  EXPECT_EQ(with_tool(http("response_limit: 2MB")).http_tools[0].response_bytes_max, 2'000'000u);
  for (const char* size : {"0", "-1", "1GB", "17MiB", "MB", "1 MB", "[1]", "99999999999999999999"}) {
    EXPECT_EQ(tool_faults(http("response_limit: " + std::string(size))),
              "a.yaml:3:70: 'response_limit' must be a size such as 4096, 500KB or 1MiB, at most 16MiB");
  }
  for (const char* address : {"localhost", "10.0.0.1/8", "10.0.0.0/33", "'*'"}) {
    EXPECT_EQ(tool_faults(http("addresses: [" + std::string(address) + "]")),
              "a.yaml:3:66: 'addresses' must be addresses or networks such as 10.1.2.3 or 127.0.0.0/8");
  }
  EXPECT_EQ(tool_faults("http: {name: t, description: odd, url: 'http://x'}"), "a.yaml:3:11: tool 't': this is too odd")
      << "what the maker of the tool says has its line too";
}

TEST(HttpEntry, Headers) {
  const auto said = [](const std::string& header) { return tool_faults(http("headers: {" + header + "}")); };
  EXPECT_EQ(said("'X Y': z"), "a.yaml:3:64: this cannot be the name of a header");
  EXPECT_EQ(said("\"X\\r\\nY\": z"), "a.yaml:3:64: this cannot be the name of a header");
  EXPECT_EQ(said("Host: z"), "a.yaml:3:64: header 'Host' is set by the server itself");
  EXPECT_EQ(said("X: 1, x: 2"), "a.yaml:3:70: header 'x' is there twice");
  EXPECT_EQ(said("X: [1]"), "a.yaml:3:67: header 'X' must be a text");
  EXPECT_EQ(said("X: \"a\\r\\nhush: b\""),
            "a.yaml:3:67: header 'X' must not hold a line end or another control character");
  EXPECT_EQ(said("X: '${NOT_THERE}'"), "a.yaml:3:67: header 'X': the environment variable NOT_THERE is not set");
  EXPECT_EQ(said("X: 'a ${SET_A'"), "a.yaml:3:67: header 'X': a '${' has no '}'");
  EXPECT_EQ(said("X: '${sk-hush}'"), "a.yaml:3:67: header 'X': '${…}' must hold the name of an environment variable");
  EXPECT_EQ(
      said("X: '${TWO_LINES}'"),
      "a.yaml:3:67: header 'X': the environment variable TWO_LINES holds a line end or another control character");
  EXPECT_EQ(said("X: '${SET_A} and ${SET_B}'"), "");
}

TEST(HttpEntry, Urls) {
  const auto said = [](const std::string& url) {
    return tool_faults("http: {name: t, description: d, url: '" + url + "'}");
  };
  const std::string at = "a.yaml:3:42: 'url' ";
  EXPECT_EQ(said("/orders"), at + "must begin with http:// or https://");
  EXPECT_EQ(said("https://"), at + "must have a host, and at most a port, as in https://host:port/path");
  EXPECT_EQ(said("https://x:port/"), at + "must have a host, and at most a port, as in https://host:port/path");
  EXPECT_EQ(said("https://[::1/"), at + "must have a host, and at most a port, as in https://host:port/path");
  EXPECT_EQ(said("https://[::1]:80/"), "");
  EXPECT_EQ(said("https://me:hush@x/"), at + "must not hold a user or a password");
  EXPECT_EQ(said("https://x/#a"), at + "must not have a fragment ('#')");
  EXPECT_EQ(said("https://x/a b"), at + "must be in ASCII, without spaces; write other characters percent-encoded");
  EXPECT_EQ(said("https://x/ä"), at + "must be in ASCII, without spaces; write other characters percent-encoded");
  EXPECT_EQ(said("https://x/${SET_KEY}"), at + "must not hold a '${…}': put secrets into 'headers'");
  EXPECT_EQ(said("https://{host}/"), at + "must not have a {place} in its scheme, host or port");
  EXPECT_EQ(said("{scheme}://x/"), at + "must not have a {place} in its scheme, host or port");
  EXPECT_EQ(said("https://x:{port}/"), at + "must not have a {place} in its scheme, host or port");
  EXPECT_EQ(said("https://x/{id"), at + "has a '{' without its '}'");
  EXPECT_EQ(said("https://x/{a{b}}"), at + "has a '{' without its '}'");
  EXPECT_EQ(said("https://x/id}"), at + "has a '}' without its '{'");
  EXPECT_EQ(said("https://x/{}"), at + "has a {} without a name in it");
}

TEST(HttpEntry, Places) {
  const auto said = [](const std::string& url, const std::string& parameters) {
    return tool_faults("http: {name: t, description: d, url: '" + url + "', parameters: " + parameters + "}");
  };
  const std::string id = "{type: object, properties: {id: {type: string}, tags: {type: array}}, required: [id, tags]}";
  EXPECT_EQ(said("http://x/{id}", id), "");
  EXPECT_EQ(said("http://x/{ids}", id), "a.yaml:3:42: 'url' has {ids}, which is no property in 'parameters'");
  EXPECT_EQ(said("http://x/{tgas}", id), "a.yaml:3:42: 'url' has {tgas}, which is no property in 'parameters'");
  EXPECT_EQ(said("http://x/{tags}", id), "a.yaml:3:42: 'url' has {tags}, which is an array in 'parameters'");
  EXPECT_EQ(tool_faults("http: {name: t, description: d, url: 'http://x/{id}'}"),
            "a.yaml:3:42: 'url' has {id}, which is no property in 'parameters'");
  const std::string optional = "{type: object, properties: {id: {type: string}}}";
  EXPECT_EQ(said("http://x/{id}", optional),
            "a.yaml:3:42: 'url' has {id} in its path: 'parameters' must have it in 'required'");
  EXPECT_EQ(said("http://x?id={id}", optional), "");
}

TEST(HttpEntry, Schemas) {
  const auto said = [](const std::string& parameters) { return tool_faults(http("parameters: " + parameters)); };
  EXPECT_EQ(said("[x]"), "a.yaml:3:66: 'parameters' must be a JSON schema, as in {type: object, properties: {…}}");
  EXPECT_EQ(said("{type: string}"),
            "a.yaml:3:73: 'parameters' must be the JSON schema of an object: 'type' must be object");
  EXPECT_EQ(said("{properties: {}}"),
            "a.yaml:3:66: 'parameters' must be the JSON schema of an object: 'type' must be object");
  EXPECT_EQ(said("{type: object, properties: [a]}"), "a.yaml:3:93: 'properties' must be a mapping");
  EXPECT_EQ(said("{type: object, properties: {a: string}}"),
            "a.yaml:3:97: property 'a' must be a schema, as in {type: string}");
  EXPECT_EQ(said("{type: object, properties: {a: true}}"), "");
  EXPECT_EQ(said("{type: object, properties: {order: {}}, required: [ordre]}"),
            "a.yaml:3:117: 'required' names 'ordre', which is not among 'properties' (did you mean 'order'?)");
  EXPECT_EQ(said("{type: object, required: x}"), "a.yaml:3:91: 'required' must be a list of texts");
  EXPECT_EQ(said("{type: object, properties: {a: {}, a: {}}}"), "a.yaml:3:101: key 'a' is there twice");
  EXPECT_EQ(said("{type: object, default: .nan}"), "a.yaml:3:90: JSON has no such number");
  EXPECT_EQ(said("{type: object, default: !odd x}"), "a.yaml:3:90: tags are not known here");
}

TEST(HttpEntry, ASchemaIsNoBomb) {
  std::string deep = "{type: object, x: ";
  for (int i = 0; i < 40; ++i) deep += "[";
  for (int i = 0; i < 40; ++i) deep += "]";
  EXPECT_NE(tool_faults(http("parameters: " + deep + "}")).find("this is deeper than 32 levels"), std::string::npos);
  // Ten aliases of ten aliases and so on: a thousand million values.
  std::string bomb =
      "http:\n      name: t\n      description: d\n      url: http://x\n      parameters:\n        type: object\n";
  bomb += "        a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "        a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 0; j < 9; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  EXPECT_NE(tool_faults(bomb).find("this holds more than 10000 values"), std::string::npos);
}

}  // namespace
}  // namespace braidlog::agent
