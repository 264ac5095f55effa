// `web_fetch`: the readable text of a page. Redirects are followed here, one by one, so that each address is judged
// anew. Pages and PDFs become text in the extractor's sandbox.
#pragma once

#include <chrono>
#include <memory>

#include "base/limits.h"
#include "net/http_client.h"
#include "net/outbound_rules.h"
#include "port/text_extractor.h"
#include "tool/schema.h"

namespace braidlog::tool {

struct WebFetchContext {
  HttpClients& clients;      // outlives the tool
  OutboundRulesPtr rules;    // where it may go
  TextExtractor* extractor;  // outlives the tool; null: where pages are never fetched
  std::size_t page_bytes_max;
  std::size_t redirects_max;
  std::chrono::milliseconds extraction_time_max;
};

class WebFetch final : public SchemaTool {
 public:
  explicit WebFetch(WebFetchContext context);

  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;

 private:
  const WebFetchContext context_;
};

}  // namespace braidlog::tool
