// One client that reads the stream of one run, in one contract at a time, over any number of connections.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "checker.h"

namespace braidlog::sim {

struct Watch {
  int number = 0;
  const Dialect* contract = nullptr;
  std::optional<RunId> run_id{};  // who begins a run learns it from the first frame

  // For who begins a run: how, and with which words.
  struct Opening {
    const Dialect* contract = nullptr;
    HttpRequest request{};
    Checker::Said said{};
    std::optional<Attendance::Way> way{};  // none: the run does not depend on its client
  };
  std::optional<Opening> opening{};

  std::shared_ptr<SimExchange> exchange{};  // null before the first connection
  unsigned generation = 0;
  std::uint64_t troubles = 0;    // in the world, when it connected
  std::size_t start = 0;         // where in the run's stream this connection begins
  std::size_t sent = 0;          // what it brought since
  bool has_all = false;          // and was told so by a 204
  bool may_get_nothing = false;  // a 204 is right whatever there is: the id that it showed leads nowhere

  std::size_t at() const { return start + sent; }
  std::size_t has() const { return start + (exchange ? exchange->received() : 0); }
  bool is_watching() const { return exchange && !exchange->is_cut() && !is_done(); }
  bool is_done() const { return has_all || (exchange && exchange->is_complete()); }
};

}  // namespace braidlog::sim
