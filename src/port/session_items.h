// What tools read of a session's artifacts and data items. Thread-safe; the reply runs on `back`.
#pragma once

#include <string>

#include "api/task.h"
#include "base/loop.h"
#include "base/result.h"
#include "base/unique_function.h"

namespace braidlog {

class SessionItems {
 public:
  virtual ~SessionItems() = default;
  template <class T>
  using Reply = UniqueFunction<void(Result<T>)>;

  virtual void artifacts(SessionId session_id, Loop& back, Reply<api::ArtifactList> reply) = 0;  // without content
  virtual void artifact(SessionId session_id, ArtifactId id, Loop& back, Reply<api::Artifact> reply) = 0;
  virtual void data_item_count(SessionId session_id, Loop& back, Reply<std::uint64_t> reply) = 0;
  virtual void data_item(SessionId session_id, DataItemId id, Loop& back, Reply<api::DataItem> reply) = 0;
};

}  // namespace braidlog
