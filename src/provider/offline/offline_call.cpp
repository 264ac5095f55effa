#include "provider/offline/offline_call.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/utf8.h"
#include "provider/offline/situation.h"

namespace braidlog::provider {

namespace {

constexpr int kWordsPerSlice = 64;
// Arguments come in a few pieces even when they are short, as with other models.
constexpr std::size_t kArgsFragments = 4;
constexpr std::size_t kArgsFragmentBytesMin = 4;  // a character at least
constexpr std::size_t kArgsFragmentBytesMax = 24;

// The spaces and the word that begin at `at`; never empty before the end.
std::string_view next_word(std::string_view text, std::size_t at) {
  std::size_t end = text.find_first_not_of(' ', at);
  end = end == std::string_view::npos ? text.size() : text.find(' ', end);
  return text.substr(at, end == std::string_view::npos ? end : end - at);
}

// Shared by the call and, weakly, by the task that plays on. The call is the owner: once it is gone nothing
// reaches the sink, even from the middle of a slice.
class Player : public std::enable_shared_from_this<Player> {
 public:
  Player(Performance performance, ModelSink& sink, Loop& loop)
      : performance_(std::move(performance)), sink_(sink), loop_(loop) {}

  void begin() { play_soon(); }
  void cancel() {
    over_ = true;
    timer_.reset();
  }

 private:
  void play_soon() {
    loop_.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->play();
    });
  }
  void play_after_pace() {
    timer_ = loop_.after(performance_.pace, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->play();
    });
  }

  void play() {
    const bool paced = performance_.pace.count() > 0;
    for (int i = paced ? 1 : kWordsPerSlice; i > 0 && !over_; --i) step();
    if (over_) return;
    if (paced) {
      play_after_pace();
    } else {
      play_soon();
    }
  }

  // Gives the sink one delta, or the end. The sink may destroy the call in it, so nothing of ours is touched
  // after.
  void step() {
    auto& pieces = performance_.answer.pieces;
    if (piece_ == pieces.size()) return finish();
    std::visit([this](auto& piece) { this->play_piece(piece); }, pieces[piece_]);
  }

  void play_piece(const Say& piece) {
    if (piece.text.empty()) return next_piece();
    const auto word = next_word(piece.text, at_);
    advance(word.size(), piece.text.size());
    sink_.on_text(word);
  }
  void play_piece(const Think& piece) {
    if (piece.text.empty()) return next_piece();
    const auto word = next_word(piece.text, at_);
    advance(word.size(), piece.text.size());
    sink_.on_reasoning(word);
  }
  void play_piece(const CallTool& piece) {
    if (!call_begun_) {
      call_begun_ = true;
      const std::string id = "call_" + std::to_string(performance_.first_call_number + slot_);
      return sink_.on_tool_call(slot_, id, piece.name);
    }
    const unsigned slot = slot_;
    const std::size_t bytes =
        std::clamp(piece.args.size() / kArgsFragments, kArgsFragmentBytesMin, kArgsFragmentBytesMax);
    const auto fragment = utf8_prefix(std::string_view(piece.args).substr(at_), bytes);
    if (at_ + fragment.size() == piece.args.size()) {
      ++slot_;
      call_begun_ = false;
    }
    advance(fragment.size(), piece.args.size());
    sink_.on_tool_args(slot, fragment);
  }
  void play_piece(const SayForever& piece) {
    const auto word = next_word(piece.text, at_);
    at_ = (at_ + word.size()) % piece.text.size();
    sink_.on_text(word);
  }
  void play_piece(const FallSilent&) { over_ = true; }
  void play_piece(Fail& piece) {
    over_ = true;
    sink_.on_failed(std::move(piece.error));
  }

  void advance(std::size_t bytes, std::size_t size) {
    at_ += bytes;
    if (at_ == size) next_piece();
  }
  void next_piece() {
    ++piece_;
    at_ = 0;
  }

  void finish() {
    over_ = true;
    ModelFinish finish;
    finish.reason = slot_ > 0 ? FinishReason::kToolCalls : FinishReason::kStop;
    finish.raw_reason = slot_ > 0 ? "tool_calls" : "stop";
    finish.response_id = performance_.response_id;
    if (performance_.answer.reports_usage) finish.usage = count_usage();
    sink_.on_finished(std::move(finish));
  }

  // The pieces are all played when this is asked, so their words are the words written.
  Usage count_usage() const {
    Usage usage;
    usage.input_tokens = performance_.input_words;
    for (const auto& piece : performance_.answer.pieces) {
      if (const auto* said = std::get_if<Say>(&piece)) usage.output_tokens += count_words(said->text);
      if (const auto* thought = std::get_if<Think>(&piece)) usage.reasoning_tokens += count_words(thought->text);
      if (const auto* call = std::get_if<CallTool>(&piece)) {
        usage.output_tokens += count_words(call->name) + count_words(call->args);
      }
    }
    usage.output_tokens += usage.reasoning_tokens;
    return usage;
  }

  Performance performance_;
  ModelSink& sink_;
  Loop& loop_;
  Timer timer_;
  std::size_t piece_ = 0;
  std::size_t at_ = 0;  // byte in the piece
  unsigned slot_ = 0;   // tool calls completed
  bool call_begun_ = false;
  bool over_ = false;
};

class OfflineCall final : public ModelCall {
 public:
  explicit OfflineCall(std::shared_ptr<Player> player) : player_(std::move(player)) {}
  ~OfflineCall() override { player_->cancel(); }

 private:
  std::shared_ptr<Player> player_;
};

}  // namespace

std::unique_ptr<ModelCall> perform(Performance performance, ModelSink& sink, Loop& loop) {
  auto player = std::make_shared<Player>(std::move(performance), sink, loop);
  player->begin();
  return std::make_unique<OfflineCall>(std::move(player));
}

}  // namespace braidlog::provider
