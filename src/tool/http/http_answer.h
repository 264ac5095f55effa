// What the answer to an HTTP tool's request means for the model.
#pragma once

#include <string_view>

#include "port/tool.h"
#include "tool/http/response_collector.h"
#include "tool/http/secrets.h"

namespace braidlog::tool {

// JSON is the value, text is the text, anything else and nothing at all are described; a redirect and a status of 400
// and more are errors. A request of a tool that `writes` and whose connection broke may have been carried out.
ToolOutcome outcome_of(const CollectedResponse& response, std::string_view host, bool writes, const Secrets& secrets);

// "404 Not Found".
std::string status_words(int status);

}  // namespace braidlog::tool
