// Who knows how this server is doing. Thread-safe; never blocks.
#pragma once

#include "api/system.h"

namespace braidlog {

using ServerFigures = api::ServerFigures;

class ServerStatus {
 public:
  virtual ~ServerStatus() = default;
  virtual ServerFigures figures() const = 0;
};

}  // namespace braidlog
