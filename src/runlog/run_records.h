// The records of one run in memory: all that was appended, of which a prefix is committed. Only the committed
// prefix can be read. Runs on: the io thread of the run.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/lazy_box.h"
#include "base/result.h"
#include "event/encoding.h"

namespace braidlog {

// Hears that more of a run can be read, or that nothing more will come. Takes itself off the run before it goes.
class CommitListener {
 public:
  virtual ~CommitListener() = default;
  virtual void on_committed() = 0;
};

class RunRecords {
 public:
  explicit RunRecords(RunId id) : id_(id) {}
  RunRecords(const RunRecords&) = delete;
  RunRecords& operator=(const RunRecords&) = delete;

  RunId id() const { return id_; }
  Sequence appended() const { return appended_; }
  Sequence committed() const { return committed_; }
  // The run's terminal event is committed: nothing will follow.
  bool ended() const { return ended_; }

  void append(const RunEvent& event);
  // Takes over records from a store: `records` are whole, from sequence 1. All of them are committed. kStorage when
  // the bytes do not fall into records; what is in each is found out when it is read.
  Status load(std::string records);
  // Makes everything up to `upto` readable and tells the listeners. A listener may leave while it is told.
  void commit(Sequence upto);

  // The run has another owner: nothing more will come here, and it is not the end of the run. Tells the listeners.
  void abandon();
  bool abandoned() const { return abandoned_; }

  // A place between two records.
  struct Place {
    std::size_t piece = 0, offset = 0;
  };
  // The end so far. What is appended behind it can be read without what stands before it.
  Place cut();
  // The records after `from`, committed or not, as one string, instead of what is in it.
  void copy(Place from, std::string& into) const;
  // All of them: what a finished run is stored as.
  std::string whole() const;

  void add_listener(CommitListener& listener) { listeners_.push_back(&listener); }
  void remove_listener(CommitListener& listener);

 private:
  void tell();
  friend class Cursor;
  // Records never span two pieces. Small first, so that a short run is small in memory.
  struct Piece {
    Sequence first;
    std::string bytes;
  };

  RunId id_;
  std::vector<Piece> pieces_;
  RecordContext context_;  // of the last record
  Sequence appended_, committed_;
  Sequence terminal_;  // 0: none appended yet
  bool ended_ = false, abandoned_ = false;
  std::vector<CommitListener*> listeners_;  // null: left while being told
  bool telling_ = false;
};

// Reads the committed events of a run in order: first what is there, then what comes, with no gap and no
// repeat.
class Cursor {
 public:
  explicit Cursor(std::shared_ptr<RunRecords> records) : records_(std::move(records)) {}

  // The next committed event; false when there is none yet, or never will be.
  bool next(RunEvent& into);
  // The same; null for false. Valid until the next call.
  const RunEvent* next() { return next(event_.touch()) ? &*event_ : nullptr; }
  // The record at this position cannot be read: it is damaged, or of an event that this program does not know.
  bool broken() const { return broken_; }
  Sequence position() const { return position_; }
  // Everything was read and nothing will follow.
  bool at_end() const { return records_->ended() && position_ == records_->committed(); }
  RunRecords& records() const { return *records_; }

 private:
  std::shared_ptr<RunRecords> records_;
  Sequence position_;  // of the last event read
  std::size_t piece_ = 0, offset_ = 0;
  RecordContext context_;
  bool broken_ = false;
  LazyBox<RunEvent> event_;
};

}  // namespace braidlog
