// The way from the extractor's thread to the one who waits for a text. Closed before he goes: after that neither his
// callback nor his loop is touched.
#pragma once

#include <memory>
#include <utility>

#include "base/loop.h"
#include "base/thread_annotations.h"
#include "port/text_extractor.h"

namespace braidlog::sandbox {

class ExtractionLink : public std::enable_shared_from_this<ExtractionLink> {
 public:
  using Done = UniqueFunction<void(Result<ExtractedText>)>;

  ExtractionLink(Loop& loop, Done done) : done_(std::move(done)), loop_(&loop) {}

  // From the extractor's thread, once.
  void finish(Result<ExtractedText> result) {
    // Held while it posts: close() waits, and the loop outlives that.
    MutexLock lock(mutex_);
    if (!loop_) return;
    loop_->post([self = shared_from_this(), result = std::move(result)]() mutable {
      if (Done done = std::exchange(self->done_, nullptr)) done(std::move(result));
    });
  }

  // From the loop.
  void close() {
    done_ = nullptr;
    MutexLock lock(mutex_);
    loop_ = nullptr;
  }

 private:
  Done done_;  // of the loop

  Mutex mutex_;
  Loop* loop_ GUARDED_BY(mutex_);
};

}  // namespace braidlog::sandbox
