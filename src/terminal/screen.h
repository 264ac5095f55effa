// What a chat writes: the answer as it comes, lines of our own between its parts, and a line about what is going on
// that vanishes with the next word. Everything handed in here is safe to show already.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace braidlog::terminal {

// Colours, or none.
struct Style {
  bool has_colours = false;

  std::string dim(std::string_view text) const { return with("2", text); }
  std::string bold(std::string_view text) const { return with("1", text); }
  std::string red(std::string_view text) const { return with("31", text); }
  std::string green(std::string_view text) const { return with("32", text); }
  std::string yellow(std::string_view text) const { return with("33", text); }
  std::string cyan(std::string_view text) const { return with("36", text); }

 private:
  std::string with(const char* code, std::string_view text) const;
};

// Whether colours may be written there: a terminal that can, and NO_COLOR is not set.
bool shows_colours(int fd);
// 80 where it cannot be known.
std::size_t columns_of(int fd);

// Writes all of it, whatever interrupts. False: nobody reads there any more.
bool write_all(int fd, std::string_view bytes);

class Screen {
 public:
  // False: nobody reads there any more.
  using Write = std::function<bool(std::string_view)>;
  struct Parts {
    Write text;   // the answers
    Write notes;  // everything else
    Style style;  // of the notes
    // Text and notes go to one place: a note begins on a line of its own.
    bool is_shared = false;
    // Lines can be taken back.
    bool is_live = false;
    std::function<std::size_t()> columns = [] { return std::size_t{80}; };
  };
  explicit Screen(Parts parts) : parts_(std::move(parts)) {}

  const Style& style() const { return parts_.style; }
  std::size_t columns() const { return parts_.columns(); }
  bool is_live() const { return parts_.is_live; }
  // Nobody reads the answers.
  bool is_closed() const { return is_closed_; }

  void text(std::string_view text);
  // The answer is complete: what comes next begins on a new line.
  void end_text();
  // A line of our own, as long as it is; may have colours.
  void note(std::string_view line);
  // A question, and the answer will stand behind it on the same line, with its line end.
  void question(std::string_view line);
  // The question was answered by somebody else: what comes next begins on a new line.
  void leave_question();
  // Until something else is written; nothing where lines cannot be taken back or text is under way.
  void status(std::string_view line);

 private:
  void write_text(std::string_view text) { is_closed_ |= !parts_.text(text); }
  void clear_status();
  void break_line();

  Parts parts_;
  bool in_line_ = false;     // the text stands in the middle of a line
  bool broke_line_ = false;  // a note broke it: the line ends that come next are there already
  bool has_status_ = false;
  bool in_question_ = false;
  bool is_closed_ = false;
};

}  // namespace braidlog::terminal
