// `- http: {…}` among the tools of an agent file: a tool that is one HTTP request.
//
//   - http:
//       name: get_order
//       description: The state of an order
//       url: "https://shop.example/orders/{id}"
//       parameters: {type: object, properties: {id: {type: string}}, required: [id]}
//       headers: {Authorization: "Bearer ${SHOP_TOKEN}"}
//       writes: false
#pragma once

#include "agent/parser.h"
#include "agent/yaml_reader.h"
#include "api/agent.h"

namespace braidlog::agent {

// With an empty name when it has none that can be used.
api::HttpTool read_http_tool(const YAML::Node& node, const Vocabulary& vocabulary, Faults& faults);

}  // namespace braidlog::agent
