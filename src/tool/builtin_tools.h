// The tools that are in the binary, by name.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/limits.h"
#include "base/loop.h"
#include "port/tool.h"
#include "port/workspace.h"

namespace braidlog::tool {

// `workspace` and `pool` outlive the tools.
std::map<std::string, std::shared_ptr<Tool>> builtin_tools(Workspace& workspace, WorkerPool& pool,
                                                           const Limits& limits);

}  // namespace braidlog::tool
