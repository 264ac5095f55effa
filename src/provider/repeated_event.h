// Most events of a model's stream are the one before with another piece of text in it. Reading JSON for each of them is
// a fifth of what a token costs, so the reader of a stream remembers what stood around the last piece, and an event
// that is the same but for the piece is not parsed at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace braidlog::provider {

class RepeatedEvent {
 public:
  // `json` is a document in which a string's first byte, after its quote, stands at `text_at`. Forgets what it knew
  // when that string has escapes or the document is long.
  void remember(std::string_view json, std::size_t text_at);

  // The piece of text in `json` when everything around it is as in the remembered document. Then `json` is a document
  // of the same structure: the piece has no quote, no escape and no control character, and is valid UTF-8, so that it
  // ends where it ended in the other. None: parse it.
  std::optional<std::string_view> text_of(std::string_view json) const {
    const std::size_t around = before().size() + after().size();
    if (around == 0 || json.size() < around || !json.starts_with(before()) || !json.ends_with(after())) {
      return std::nullopt;
    }
    const auto text = json.substr(before().size(), json.size() - around);
    return is_plain(text) ? std::optional(text) : std::nullopt;
  }

  // The same for a server-sent event at the front of `bytes`, with its blank line: takes it off. None: it is another
  // one, or not all of it is there.
  std::optional<std::string_view> take_from(std::string_view& bytes) const;

 private:
  // Can stand between the quotes of a JSON string as it is.
  static bool is_plain(std::string_view text);
  static constexpr std::string_view kOpening = "data: ", kClosing = "\n\n";
  // With the lines of the event, as they stand in a stream.
  std::string_view opening() const { return std::string_view(around_).substr(0, opening_bytes_); }
  std::string_view closing() const { return std::string_view(around_).substr(opening_bytes_); }
  std::string_view before() const { return around_.empty() ? opening() : opening().substr(kOpening.size()); }
  std::string_view after() const {
    return around_.empty() ? closing() : closing().substr(0, closing().size() - kClosing.size());
  }

  std::string around_;  // opening() and closing(); empty: nothing is remembered
  std::size_t opening_bytes_ = 0;
};

}  // namespace braidlog::provider
