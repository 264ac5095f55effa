// The conversation contract (docs/contracts/conversation.md): one message in, the answer as a stream or at once, and
// the conversations so far, under /agent. Every route demands a credential.
//
// Immutable after construction; may be used from every thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "base/limits.h"
#include "dialect/dialect.h"

namespace braidlog {

class ConversationDialect final : public Dialect {
 public:
  explicit ConversationDialect(const Limits& limits = {}) : wire_text_bytes_max_(limits.wire_text_bytes_max) {}

  std::string_view name() const override;
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  char part_mark() const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /agent, /agent/stream, /agent/history, /agent/conversations and what is below the last. The rest of /agent is named
  // after agents and belongs to the chat contract.
  bool owns_path(std::string_view path) const override;

 private:
  std::size_t wire_text_bytes_max_;
};

}  // namespace braidlog
