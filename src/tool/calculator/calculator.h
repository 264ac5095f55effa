// calculator {expression}: arithmetic, exact where people expect it to be. The value is a number.
#pragma once

#include "tool/schema.h"

namespace braidlog::tool {

class Calculator final : public SchemaTool {
 public:
  Calculator();
  std::unique_ptr<ToolRun> start(ToolInvocation invocation, Loop& loop,
                                 UniqueFunction<void(ToolOutcome)> done) override;
};

}  // namespace braidlog::tool
