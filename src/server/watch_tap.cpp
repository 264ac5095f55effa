#include "server/watch_tap.h"

#include <utility>

namespace braidlog {

namespace {

// The frames with `event_line` in front of each.
std::string named(const Frames& frames, std::string_view event_line) {
  std::string out;
  out.reserve(frames.bytes.size() + frames.marks.size() * event_line.size());
  std::size_t begin = 0;
  for (const auto& mark : frames.marks) {
    out.append(event_line).append(frames.bytes, begin, mark.end - begin);
    begin = mark.end;
  }
  return out;
}

}  // namespace

WatchTap::WatchTap(Setup setup, Loop& loop, RunSource& source, Frames& scratch, HandOver hand_over)
    : setup_(std::move(setup)),
      loop_(loop),
      source_(source),
      frames_(scratch),
      hand_over_(std::move(hand_over)),
      event_line_(log::event_line(setup_.name)) {}

WatchTap::~WatchTap() {
  if (!records_) return;
  records_->remove_listener(*this);
  reader_.reset();
  records_.reset();
  source_.let_go(setup_.run_id);
}

void WatchTap::start() {
  source_.find(setup_.run_id, [this, alive = liveness_.watch(), &source = source_,
                               run_id = setup_.run_id](Result<std::shared_ptr<RunRecords>> found) {
    if (!alive.expired()) return begin(std::move(found));
    found = fail(ErrorCode::kCancelled, "nobody watches any more");
    source.let_go(run_id);
  });
}

void WatchTap::begin(Result<std::shared_ptr<RunRecords>> found) {
  if (!found) return refuse(found.error());
  records_ = std::move(*found);
  seen_ = start_position(setup_.after, *records_, *setup_.view);
  reader_.emplace(records_, *setup_.view);
  records_->add_listener(*this);
  go_on();
}

void WatchTap::next() {
  wanted_ = true;
  go_on();
}

void WatchTap::go_on() {
  if (!reader_ || !wanted_ || waiting_ || over_) return;
  using Read = FrameReader::Read;
  const Read read = reader_->read_piece(frames_, seen_);
  if (frames_.empty() && read == Read::kEnough) return read_later();
  if (frames_.empty() && read == Read::kNeedsHistory) return ask_history();
  std::string bytes = named(frames_, event_line_);
  if (read != Read::kAll) return give(std::move(bytes));
  if (reader_->broken()) return refuse({ErrorCode::kStorage, "The log of the run is damaged", {}}, std::move(bytes));
  if (records_->abandoned()) return give(std::move(bytes), WatchBatch::Then::kCut);
  if (!std::exchange(caught_up_, true)) bytes += log::caught_up_frame(setup_.name);
  if (reader_->at_end()) return give(bytes + log::over_frame(setup_.name), WatchBatch::Then::kOver);
  if (!bytes.empty()) give(std::move(bytes));
}

// Other runs of the thread come first.
void WatchTap::read_later() {
  waiting_ = true;
  loop_.post([this, alive = liveness_.watch()] {
    if (alive.expired()) return;
    waiting_ = false;
    go_on();
  });
}

void WatchTap::ask_history() {
  waiting_ = true;
  source_.fetch(reader_->need(), [this, alive = liveness_.watch()](std::shared_ptr<const api::SessionView> view) {
    if (alive.expired()) return;
    waiting_ = false;
    if (!view) return refuse({ErrorCode::kUnavailable, "The conversation cannot be read right now", {}});
    reader_->give(std::move(view));
    go_on();
  });
}

void WatchTap::refuse(const Error& error, std::string bytes) {
  give(bytes + log::refused_frame(setup_.name, error), WatchBatch::Then::kOver);
}

void WatchTap::give(std::string bytes, WatchBatch::Then then) {
  wanted_ = false;
  over_ = then != WatchBatch::Then::kMore;
  hand_over_({std::move(bytes), then});
}

}  // namespace braidlog
