#include "tool/knowledge/search_knowledge_base.h"

#include <gtest/gtest.h>

#include "tool/builtin_tools.h"
#include "tool/knowledge/embedded_documents.h"
#include "tool/testing/tool_caller.h"

namespace braidlog::tool {
namespace {

class SearchKnowledgeBaseTest : public ::testing::Test {
 protected:
  ::braidlog::testing::InlinePool pool_;
  std::shared_ptr<Tool> own_ = make_knowledge_tool({{"tea.md", "# Tea\n\nHot.\n\n## Green tea\nMild."}}, pool_).value();
  std::shared_ptr<Tool> embedded_ = make_embedded_knowledge(pool_);
  testing::ToolCaller caller_;
};

TEST_F(SearchKnowledgeBaseTest, GivesPassagesAsValueAndAsText) {
  const auto outcome = caller_.call(*own_, R"({"query":"green tea"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(to_json(outcome.value), R"({"results":[{"title":"Tea / Green tea","source":"tea.md","snippet":"Mild."},)"
                                    R"({"title":"Tea","source":"tea.md","snippet":"Hot."}]})");
  EXPECT_EQ(outcome.text, "[1] Tea / Green tea (tea.md)\nMild.\n\n[2] Tea (tea.md)\nHot.");
}

TEST_F(SearchKnowledgeBaseTest, ALimitIsKept) {
  EXPECT_EQ(caller_.call(*own_, R"({"query":"tea","limit":1})").value.as_object().at("results").as_array().size(), 1u);
}

TEST_F(SearchKnowledgeBaseTest, NoHitIsSaidPlainly) {
  const auto outcome = caller_.call(*own_, R"({"query":"zebra crossings"})");
  EXPECT_EQ(outcome.status, ToolStatus::kOk);
  EXPECT_EQ(to_json(outcome.value), R"({"results":[]})");
  EXPECT_EQ(outcome.text, "Nothing in the knowledge base matches \"zebra crossings\".");
}

TEST_F(SearchKnowledgeBaseTest, ArgumentsAreChecked) {
  const auto message = [&](std::string_view args) {
    const auto status = own_->check(parse_json(args).value());
    return status ? std::string() : status.error().message;
  };
  EXPECT_EQ(message(R"({})"), "query: is required");
  EXPECT_EQ(message(R"({"query":""})"), "query: must not be empty");
  EXPECT_EQ(message(R"({"query":"x","limit":0})"), "limit: must be at least 1");
  EXPECT_EQ(message(R"({"query":"x","limit":11})"), "limit: must be at most 10");
  EXPECT_EQ(message(R"({"query":"x","limit":"3"})"), "limit: expected integer");
  EXPECT_FALSE(own_->spec().writes);
}

TEST_F(SearchKnowledgeBaseTest, ACancelledCallIsSilent) {
  auto run = caller_.start(*own_, R"({"query":"tea"})");
  run.reset();
  caller_.loop().run_ready();
  EXPECT_FALSE(caller_.outcome());
}

TEST_F(SearchKnowledgeBaseTest, TheDocumentsInTheBinaryAnswer) {
  ASSERT_GE(embedded_documents().size(), 6u);
  const auto first = [&](const std::string& query) {
    const auto outcome = caller_.call(*embedded_, "{\"query\":\"" + query + "\"}");
    const auto& results = outcome.value.as_object().at("results").as_array();
    return results.empty() ? "" : std::string(results[0].as_object().at("title").as_string());
  };
  EXPECT_EQ(first("return policy"), "Returns and refunds");
  EXPECT_EQ(first("How long does a refund take?"), "Returns and refunds / When the refund comes");
  EXPECT_EQ(first("shipping costs"), "Shipping and delivery / Shipping costs");
  EXPECT_EQ(first("track my parcel"), "Shipping and delivery / Tracking a parcel");
  EXPECT_EQ(first("my card was declined"), "Payment / Declined cards");
  EXPECT_EQ(first("forgot password"), "Your account / Forgotten password");
  EXPECT_EQ(first("warranty claim"), "Warranty and repairs / Making a claim");
  EXPECT_EQ(first("opening hours of the store"), "Contact and opening hours / The store");
  EXPECT_EQ(first("quantum chromodynamics"), "");
}

TEST_F(SearchKnowledgeBaseTest, TheDocumentsInTheBinaryAreWhole) {
  std::vector<std::string_view> names;
  for (const auto& document : embedded_documents()) {
    names.push_back(document.name);
    EXPECT_TRUE(document.text.starts_with("# ")) << document.name;
    EXPECT_TRUE(document.text.ends_with("\n")) << document.name;
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"account.md", "contact.md", "payment.md", "returns.md", "shipping.md",
                                                  "warranty.md"}));
}

}  // namespace
}  // namespace braidlog::tool
