// A session's artifacts and data items in memory, for the tests of tools. keep() does what the engine does with the
// changes of an outcome.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "port/session_items.h"
#include "port/tool.h"

namespace braidlog::tool::testing {

class MemoryItems final : public SessionItems {
 public:
  void artifacts(SessionId session_id, Loop& back, Reply<api::ArtifactList> reply) override {
    api::ArtifactList found;
    for (const auto& artifact : artifacts_) {
      if (artifact.session_id != session_id) continue;
      found.push_back(artifact);
      found.back().content.clear();
    }
    answer<api::ArtifactList>(back, std::move(found), std::move(reply));
  }
  void artifact(SessionId session_id, ArtifactId id, Loop& back, Reply<api::Artifact> reply) override {
    answer(back, find(artifacts_, session_id, id, ErrorCode::kArtifactNotFound), std::move(reply));
  }
  void data_item_count(SessionId session_id, Loop& back, Reply<std::uint64_t> reply) override {
    const auto count = std::ranges::count(data_items_, session_id, &api::DataItem::session_id);
    answer<std::uint64_t>(back, static_cast<std::uint64_t>(count), std::move(reply));
  }
  void data_item(SessionId session_id, DataItemId id, Loop& back, Reply<api::DataItem> reply) override {
    answer(back, find(data_items_, session_id, id, ErrorCode::kDataItemNotFound), std::move(reply));
  }

  void keep(SessionId session_id, ToolCallId call_id, const std::vector<SessionChange>& changes) {
    for (const auto& change : changes) {
      if (const auto* made = std::get_if<ArtifactMade>(&change)) {
        artifacts_.push_back(
            {ArtifactId{call_id.value}, session_id, std::nullopt, made->name, made->type, made->content, WallTime{}});
        continue;
      }
      const auto& item = std::get<DataItemChanged>(change);
      std::erase_if(data_items_, [&](const api::DataItem& old) { return old.id == item.id; });
      if (item.operation == DataOperation::kDelete) continue;
      data_items_.push_back({item.id, session_id, item.item_type, item.data_json, WallTime{}, WallTime{}});
    }
  }

  // Everything fails with this from now on.
  void break_with(ErrorCode code) { failure_ = Error{code, "the table of items is on fire", {}}; }

 private:
  template <class List, class IdType>
  static Result<typename List::value_type> find(const List& list, SessionId session_id, IdType id, ErrorCode code) {
    for (const auto& item : list) {
      if (item.session_id == session_id && item.id == id) return item;
    }
    return fail(code, "not there");
  }
  template <class T>
  void answer(Loop& back, Result<T> result, Reply<T> reply) {
    if (failure_) result = fail(*failure_);
    back.post([result = std::move(result), reply = std::move(reply)]() mutable { reply(std::move(result)); });
  }

  api::ArtifactList artifacts_;
  api::DataItemList data_items_;
  std::optional<Error> failure_;
};

}  // namespace braidlog::tool::testing
