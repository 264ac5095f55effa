// Everything the server speaks, in one place: the server's routes and `braidlog routes` are made of this list.
#pragma once

#include <vector>

#include "dialect/all/routes.h"
#include "dialect/chat/routes.h"
#include "dialect/console/routes.h"
#include "dialect/conversation/routes.h"
#include "dialect/identity/routes.h"
#include "dialect/log/routes.h"
#include "dialect/runs/routes.h"
#include "dialect/sessions/routes.h"
#include "dialect/steps/routes.h"
#include "dialect/tasks/routes.h"

namespace braidlog::app {

// Not movable: the list points into it.
class Dialects {
 public:
  explicit Dialects(const Limits& limits)
      : runs_(limits),
        conversation_(limits),
        chat_(limits),
        steps_(limits),
        tasks_(limits),
        list_{&runs_, &conversation_, &chat_, &steps_, &tasks_, &sessions_, &identity_, &log_, &console_} {
    list_.push_back(&all_.emplace(list_));
  }
  Dialects(const Dialects&) = delete;
  Dialects& operator=(const Dialects&) = delete;

  // In the order in which routes are tried and owners of a path are asked.
  const std::vector<const Dialect*>& list() const { return list_; }

 private:
  RunsDialect runs_;
  ConversationDialect conversation_;
  ChatDialect chat_;
  StepsDialect steps_;
  TasksDialect tasks_;
  SessionsDialect sessions_;
  IdentityDialect identity_;
  ConsoleDialect console_;
  LogDialect log_;
  std::vector<const Dialect*> list_;
  std::optional<AllDialect> all_;
};

}  // namespace braidlog::app
