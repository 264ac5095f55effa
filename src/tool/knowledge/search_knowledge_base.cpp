#include "tool/knowledge/search_knowledge_base.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "tool/builtin_tools.h"
#include "tool/call.h"
#include "tool/knowledge/embedded_documents.h"

namespace braidlog::tool {

namespace {

constexpr unsigned kLimitDefault = 4;
constexpr std::size_t kShownQueryBytesMax = 200;

ToolSpec knowledge_spec() {
  ToolSpec spec;
  spec.name = "search_knowledge_base";
  spec.description =
      "Searches the knowledge base by words and gives the passages that fit best, each with its document. A few words "
      "that "
      "matter find more than a whole sentence.";
  spec.parameters_json =
      R"({"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":1000,)"
      R"("description":"What to look for, for example: return an opened article"},)"
      R"("limit":{"type":"integer","minimum":1,"maximum":10,"description":"At most so many passages; 4 when absent"}},)"
      R"("required":["query"],"additionalProperties":false})";
  spec.writes = false;
  spec.display_running = "Searching the knowledge base...";
  spec.display_done = "Knowledge base searched";
  return spec;
}

unsigned limit_of(const json::value& args) {
  const auto* limit = args.as_object().if_contains("limit");
  boost::system::error_code none;
  return limit == nullptr ? kLimitDefault : limit->to_number<unsigned>(none);
}

ToolOutcome tell(const std::vector<Finding>& findings, std::string_view query) {
  json::array results;
  std::string text;
  for (const auto& finding : findings) {
    results.push_back(json::object{{"title", finding.title}, {"source", finding.source}, {"snippet", finding.snippet}});
    text += (text.empty() ? "[" : "\n\n[") + std::to_string(results.size()) + "] " + finding.title + " (" +
            finding.source + ")\n" + finding.snippet;
  }
  if (findings.empty()) {
    text = "Nothing in the knowledge base matches \"" + std::string(utf8_prefix(query, kShownQueryBytesMax)) + "\".";
  }
  return {ToolStatus::kOk, json::object{{"results", std::move(results)}}, std::move(text)};
}

ToolOutcome search(const KnowledgeIndex& index, const std::string& query, unsigned limit) {
  const auto findings = index.search(query, limit);
  if (!findings) return ToolOutcome::error(ToolStatus::kToolError, "the knowledge base could not be searched");
  return tell(*findings, query);
}

template <class Documents>
Result<std::shared_ptr<Tool>> make_tool(const Documents& documents, WorkerPool& pool) {
  std::vector<Passage> passages;
  for (const auto& document : documents) {
    auto more = split_into_passages(document.name, document.text);
    std::move(more.begin(), more.end(), std::back_inserter(passages));
  }
  auto index = KnowledgeIndex::build(passages);
  if (!index) return fail(std::move(index.error()));
  return std::make_shared<SearchKnowledgeBase>(std::move(*index), pool);
}

}  // namespace

SearchKnowledgeBase::SearchKnowledgeBase(std::shared_ptr<const KnowledgeIndex> index, WorkerPool& pool)
    : SchemaTool(knowledge_spec()), index_(std::move(index)), pool_(pool) {}

std::unique_ptr<ToolRun> SearchKnowledgeBase::start(ToolInvocation invocation, Loop& loop,
                                                    UniqueFunction<void(ToolOutcome)> done) {
  return run_on_pool(
      pool_, loop,
      [index = index_, query = string_argument(invocation.args, "query"), limit = limit_of(invocation.args)] {
        return search(*index, query, limit);
      },
      std::move(done));
}

std::shared_ptr<Tool> make_embedded_knowledge(WorkerPool& pool) {
  auto tool = make_tool(embedded_documents(), pool);
  BRAIDLOG_CHECK(tool.has_value());  // the documents are the program's own
  return std::move(*tool);
}

Result<std::shared_ptr<Tool>> make_knowledge_tool(const api::KnowledgeDocuments& documents, WorkerPool& pool) {
  return make_tool(documents, pool);
}

}  // namespace braidlog::tool
