// Tools of an agent file that are one HTTP request each.
#pragma once

#include <memory>

#include "api/agent.h"
#include "base/environment.h"
#include "base/limits.h"
#include "base/result.h"
#include "net/http_client.h"
#include "net/outbound_rules.h"
#include "port/tool.h"

namespace braidlog::tool {

// Arguments that the URL does not name go to the query (GET, DELETE) or into a JSON body (POST, PUT, PATCH). Headers'
// variables are read here, once. Redirects are not followed. A tool that writes sends an Idempotency-Key that is the
// same for every attempt of one call. `clients` outlives the tool. kBadField: what the operator wrote cannot work, in
// words that begin with the field ("url: …").
Result<std::shared_ptr<Tool>> make_http_tool(const api::HttpTool& tool, HttpClients& clients, OutboundRulesPtr rules,
                                             const Environment& environment, const Limits& limits);

}  // namespace braidlog::tool
