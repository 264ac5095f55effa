#include "tool/builtin_tools.h"

#include "tool/calculator/calculator.h"
#include "tool/datetime/current_datetime.h"
#include "tool/files/file_tools.h"
#include "tool/items/artifact_tools.h"
#include "tool/items/data_item_tools.h"
#include "tool/knowledge/search_knowledge_base.h"
#include "tool/operations/alert_admin.h"
#include "tool/operations/system_status.h"
#include "tool/web/search_engine.h"
#include "tool/web/web_fetch.h"
#include "tool/web/web_search.h"

namespace braidlog::tool {

std::map<std::string, std::shared_ptr<Tool>> builtin_tools(ToolPorts ports, const Limits& limits) {
  const FileToolContext files{.workspace = ports.workspace,
                              .pool = ports.pool,
                              .file_bytes_max = limits.workspace_file_bytes_max,
                              .text_bytes_max = limits.wire_text_bytes_max};
  std::map<std::string, std::shared_ptr<Tool>> tools;
  const auto add = [&](std::shared_ptr<Tool> tool) {
    const std::string name = tool->spec().name;
    tools.emplace(name, std::move(tool));
  };
  add(std::make_shared<FileRead>(files));
  add(std::make_shared<FileList>(files));
  add(std::make_shared<FileWrite>(files));
  add(std::make_shared<FileRename>(files));
  add(std::make_shared<Calculator>());
  add(std::make_shared<CurrentDatetime>());
  add(make_embedded_knowledge(ports.pool));
  add(std::make_shared<SystemStatus>(ports.status));
  add(std::make_shared<AlertAdmin>(ports.alerts));
  const auto items = ItemToolContext::of(ports.items, limits);
  add(std::make_shared<CreateArtifact>(items));
  add(std::make_shared<ReadArtifact>(items));
  add(std::make_shared<ListArtifacts>(items));
  add(std::make_shared<CreateDataItem>(items));
  add(std::make_shared<ReadDataItem>(items));
  add(std::make_shared<UpdateDataItem>(items));
  add(std::make_shared<DeleteDataItem>(items));
  add(std::make_shared<WebFetch>(WebFetchContext{.clients = ports.http_clients,
                                                 .rules = ports.outbound,
                                                 .extractor = ports.extractor,
                                                 .page_bytes_max = limits.web_page_bytes_max,
                                                 .redirects_max = limits.web_redirects_max,
                                                 .extraction_time_max = limits.extraction_time_max}));
  if (ports.search) {
    add(std::make_shared<WebSearch>(make_search_engine(*ports.search), ports.http_clients, limits));
  }
  return tools;
}

}  // namespace braidlog::tool
