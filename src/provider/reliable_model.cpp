#include "provider/reliable_model.h"

#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "provider/retry_schedule.h"

namespace braidlog::provider {

namespace {

using std::chrono::milliseconds;

// Runs on: the loop of its run. The sink may destroy it from inside every word that is handed on: that is always the
// last thing done.
class ReliableCall final : public ModelCall, private AttemptSink {
 public:
  ReliableCall(std::shared_ptr<const ReliableModel::Setup> setup, ModelRequest request, ModelSink& sink, Loop& loop)
      : sink_(sink), loop_(loop), setup_(std::move(setup)), request_(std::move(request)) {
    ask();
  }

 private:
  Endpoint& endpoint() const { return *setup_->chain[place_]; }

  void ask() {
    hears_words_only_ = endpoint().is_local();
    heard_ = loop_.clock().mono();
    attempt_ = endpoint().ask(request_, *this, loop_);
    watch();
  }

  // One timer per try, not one per token: it looks when something was heard last. Before the first token `heard_` is
  // the beginning of the try.
  void watch() {
    timer_ = loop_.after(time_left(), [this] { time_left().count() > 0 ? watch() : time_out(); });
  }
  milliseconds time_left() const {
    const milliseconds allowed = has_spoken_ ? setup_->idle_timeout : setup_->first_token_timeout;
    const milliseconds silent(loop_.clock().mono().ms - heard_.ms);
    return std::max(milliseconds(0), allowed - silent);
  }

  void time_out() {
    const char* what = has_spoken_ ? "The model stopped answering" : "The model did not begin to answer in time";
    on_attempt_failed({{ErrorCode::kProviderTimeout, what, {}}, true});
  }

  // What is only needed to ask again goes with the first token; many runs stream at once.
  void note_word() {
    if (has_spoken_ && !hears_words_only_) return;
    heard_ = loop_.clock().mono();
    if (std::exchange(has_spoken_, true)) return;
    std::ignore = std::exchange(request_, {});  // `= {}` would keep the memory of its texts
    watch();
  }

  void on_sign_of_life() override {
    if (has_spoken_) heard_ = loop_.clock().mono();
  }
  void on_read_begin() override { sink_.on_read_begin(); }
  void on_read_end() override { sink_.on_read_end(); }
  void on_text(std::string_view delta) override {
    note_word();
    sink_.on_text(delta);
  }
  void on_reasoning(std::string_view delta) override {
    note_word();
    sink_.on_reasoning(delta);
  }
  void on_tool_call(unsigned slot, std::string_view id, std::string_view name) override {
    note_word();
    sink_.on_tool_call(slot, id, name);
  }
  void on_tool_args(unsigned slot, std::string_view fragment) override {
    note_word();
    sink_.on_tool_args(slot, fragment);
  }

  void on_finished(ModelFinish finish) override {
    timer_.reset();
    if (place_ > 0) finish.answered_by = full_name(endpoint());
    sink_.on_finished(std::move(finish));
  }

  void on_attempt_failed(AttemptFailure failure) override {
    sink_.on_read_end();  // it may have failed in the middle of one, and the next try comes later
    timer_.reset();
    attempt_.reset();
    if (has_spoken_ || failure.error.code == ErrorCode::kToolsRefused) return sink_.on_failed(std::move(failure.error));
    if (retry(failure) || fall_back(failure)) return;
    sink_.on_failed(std::move(failure.error));
  }

  bool retry(const AttemptFailure& failure) {
    if (!failure.may_retry || endpoint().is_local() || retries_ >= setup_->retries_max) return false;
    if (failure.retry_after && *failure.retry_after > kRetryAfterMax) return false;
    const milliseconds wait = failure.retry_after.value_or(retry_delay(retries_, setup_->jitter()));
    ++retries_;
    log_warn("model is asked again", {{"model", full_name(endpoint())},
                                      {"retry", std::to_string(retries_)},
                                      {"wait_ms", std::to_string(wait.count())},
                                      {"code", name_of(failure.error.code)},
                                      {"because", failure.error.message}});
    timer_ = loop_.after(wait, [this] { ask(); });
    return true;
  }

  bool fall_back(const AttemptFailure& failure) {
    if (place_ + 1 == setup_->chain.size()) return false;
    log_warn("another model is asked", {{"model", full_name(endpoint())},
                                        {"next", full_name(*setup_->chain[place_ + 1])},
                                        {"code", name_of(failure.error.code)},
                                        {"because", failure.error.message}});
    ++place_;
    retries_ = 0;
    ask();
    return true;
  }

  static std::string full_name(const Endpoint& endpoint) {
    return std::string(endpoint.provider()) + "/" + std::string(endpoint.name());
  }

  // What every word needs stands together.
  ModelSink& sink_;
  Loop& loop_;
  MonoTime heard_;
  bool has_spoken_ = false;
  bool hears_words_only_ = false;

  const std::shared_ptr<const ReliableModel::Setup> setup_;
  ModelRequest request_;
  std::size_t place_ = 0;    // in the chain
  std::size_t retries_ = 0;  // of that model
  std::unique_ptr<ModelCall> attempt_;
  Timer timer_;  // of the watch, or of the wait before a retry
};

}  // namespace

double random_jitter() {
  static constexpr double kRange = std::random_device::max();
  return std::random_device{}() / kRange;
}

ReliableModel::ReliableModel(Setup setup) : setup_(std::make_shared<const Setup>(std::move(setup))) {
  BRAIDLOG_CHECK(!setup_->chain.empty());
}

std::unique_ptr<ModelCall> ReliableModel::start(ModelRequest request, ModelSink& sink, Loop& loop) {
  return std::make_unique<ReliableCall>(setup_, std::move(request), sink, loop);
}

}  // namespace braidlog::provider
