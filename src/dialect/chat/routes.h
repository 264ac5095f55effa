// The chat contract (docs/contracts/chat.md): one message to a named agent, answered as a stream or at once, with
// files. The run belongs to its client: when the client goes, it stops.
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

class ChatDialect final : public Dialect {
 public:
  explicit ChatDialect(const Limits& limits = {}) : wire_text_bytes_max_(limits.wire_text_bytes_max) {}

  std::string_view name() const override;
  std::span<const Route> routes() const override;
  std::unique_ptr<Projection> make_projection(RunId run_id) const override;
  HttpResponse error(const Error& error, RequestId request_id) const override;
  // /agent/{name} and what is below it, but not the conversation contract's own paths beside it.
  bool owns_path(std::string_view path) const override;

 private:
  std::size_t wire_text_bytes_max_;
};

}  // namespace braidlog
