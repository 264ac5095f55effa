#include "tool/builtin_tools.h"

#include "tool/calculator/calculator.h"
#include "tool/datetime/current_datetime.h"
#include "tool/files/file_tools.h"

namespace braidlog::tool {

std::map<std::string, std::shared_ptr<Tool>> builtin_tools(Workspace& workspace, WorkerPool& pool,
                                                           const Limits& limits) {
  const FileToolContext files{.workspace = workspace,
                              .pool = pool,
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
  return tools;
}

}  // namespace braidlog::tool
