// `web_search`: what a search engine finds. The engine is the operator's, wherever it stands, so the outbound rules do
// not apply to it.
#pragma once

#include <memory>

#include "base/limits.h"
#include "net/http_client.h"
#include "tool/schema.h"
#include "tool/web/search_engine.h"

namespace braidlog::tool {

class WebSearch final : public SchemaTool {
 public:
  // `clients` outlives the tool.
  WebSearch(std::shared_ptr<const SearchEngine> engine, HttpClients& clients, const Limits& limits);

  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  const std::shared_ptr<const SearchEngine> engine_;
  HttpClients& clients_;
  const std::size_t response_bytes_max_;
};

}  // namespace braidlog::tool
