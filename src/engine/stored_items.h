// Artifacts and data items of the store, for tools. Thread-safe.
#pragma once

#include <utility>

#include "port/session_items.h"
#include "runlog/store_access.h"

namespace braidlog {

class StoredItems final : public SessionItems {
 public:
  explicit StoredItems(StoreAccess& store) : store_(store) {}

  void artifacts(SessionId session_id, Loop& back, Reply<api::ArtifactList> reply) override {
    read_then(
        store_, back, [session_id](StoreReader& reader) { return reader.artifacts(session_id, ""); }, std::move(reply));
  }
  void artifact(SessionId session_id, ArtifactId id, Loop& back, Reply<api::Artifact> reply) override {
    read_then(
        store_, back, [session_id, id](StoreReader& reader) { return reader.artifact(session_id, id); },
        std::move(reply));
  }
  void data_item_count(SessionId session_id, Loop& back, Reply<std::uint64_t> reply) override {
    read_then(
        store_, back, [session_id](StoreReader& reader) { return reader.data_item_count(session_id); },
        std::move(reply));
  }
  void data_item(SessionId session_id, DataItemId id, Loop& back, Reply<api::DataItem> reply) override {
    read_then(
        store_, back, [session_id, id](StoreReader& reader) { return reader.data_item(session_id, id); },
        std::move(reply));
  }

 private:
  StoreAccess& store_;
};

}  // namespace braidlog
