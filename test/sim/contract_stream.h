// One run in one contract: the bytes that its viewers may see, made of the committed log by the contract's own
// projection, and the places in them where a client can go on.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "dialect/dialect.h"
#include "event/encoding.h"
#include "legal_order.h"
#include "world.h"

namespace braidlog::sim {

class ContractStream {
 public:
  // Both outlive it.
  ContractStream(World& world, const Dialect& dialect, RunId id);

  // Goes on with what was committed since. `records` are all of the run; `view` is what its session had said when it
  // was completed, null before. Violates when a frame does not carry the id that leads back to its place, or stands
  // where its contract has none of its kind.
  void read_on(std::string_view records, const std::shared_ptr<const api::SessionView>& view);

  const std::string& bytes() const { return frames_.bytes; }

  // Where the frame ends that a client with so many bytes has whole, and the id it read there; 0 and "" for none.
  struct Place {
    std::size_t offset = 0;
    std::string event_id;
  };
  Place last_whole_frame(std::size_t received) const;
  // The last event that a client with so many bytes has seen something of; 0 for none.
  Sequence last_event(std::size_t received) const;
  // Where a client goes on who has this id. A part of another contract means the whole event.
  std::size_t offset_after(const EventId& id) const;

 private:
  void take(const RunEvent& event, const std::shared_ptr<const api::SessionView>& view);
  void check_frame(std::size_t index, const RunEvent& event);
  std::string_view frame(std::size_t index) const;
  // How many frames the client has whole.
  std::size_t whole_frames(std::size_t received) const;

  World& world_;
  const Dialect& dialect_;
  RunId id_;
  std::unique_ptr<Projection> projection_;
  Frames frames_;
  std::size_t read_ = 0;  // bytes of the records
  RecordContext context_;
  Sequence last_;
  LegalOrder order_;
};

}  // namespace braidlog::sim
