#include "terminal/line_editor.h"

#include <histedit.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "base/check.h"
#include "terminal/screen.h"

namespace braidlog::terminal {

namespace {

// A terminal that knows bracketed paste says where a paste begins and ends. Its line ends and tabs are shown as these
// signs while the line is edited, and are themselves again in what is sent.
constexpr std::string_view kPasteOn = "\x1b[?2004h", kPasteOff = "\x1b[?2004l";
constexpr std::string_view kPasteBegins = "[200~", kPasteEnds = "[201~";  // behind an ESC
constexpr wchar_t kLineEndSign = L'\u23CE', kTabSign = L'\u21E5';
constexpr std::string_view kLineEndSignText = "\u23CE", kTabSignText = "\u21E5";
constexpr char kEscape = '\x1b';

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

struct LineEditor::Parts {
  Parts(Input& i, Pump& p, int fd);
  ~Parts();

  static int read_key(EditLine* editor, wchar_t* key);
  static char* show_prompt(EditLine* editor);
  int next_key(wchar_t& key);
  bool next_character(char first, wchar_t& key);
  bool must_stop();
  bool take_signal(int signal);

  Input& input;
  Pump& pump;
  const int output;
  std::FILE* in = nullptr;
  std::FILE* out = nullptr;
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string prompt;
  bool in_paste = false;
  bool is_interrupted = false, is_to_leave = false;
};

LineEditor::Parts::Parts(Input& i, Pump& p, int fd) : input(i), pump(p), output(fd) {
  // Copies, for libedit wants streams and closes nothing.
  in = ::fdopen(::dup(STDIN_FILENO), "r");
  out = ::fdopen(::dup(output), "w");
  BRAIDLOG_CHECK(in != nullptr && out != nullptr);
  editor = el_init("braidlog", in, out, out);
  BRAIDLOG_CHECK(editor != nullptr);
  el_set(editor, EL_CLIENTDATA, this);
  el_set(editor, EL_SIGNAL, 0);  // signals are the loop's
  el_set(editor, EL_PROMPT, &Parts::show_prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_wset(editor, EL_GETCFN, &Parts::read_key);
  history = history_init();
  HistEvent event{};
  ::history(history, &event, H_SETSIZE, 500);
  ::history(history, &event, H_SETUNIQUE, 1);
  el_set(editor, EL_HIST, ::history, history);
}

LineEditor::Parts::~Parts() {
  el_end(editor);
  history_end(history);
  std::fclose(in);
  std::fclose(out);
}

char* LineEditor::Parts::show_prompt(EditLine* editor) {
  void* self = nullptr;
  el_get(editor, EL_CLIENTDATA, &self);
  return static_cast<Parts*>(self)->prompt.data();
}

int LineEditor::Parts::read_key(EditLine* editor, wchar_t* key) {
  void* self = nullptr;
  el_get(editor, EL_CLIENTDATA, &self);
  return static_cast<Parts*>(self)->next_key(*key);
}

// Asked for while it waits for a key. True: the line is not to be waited for.
bool LineEditor::Parts::must_stop() {
  while (pump.has_signal()) {
    if (take_signal(pump.next_signal())) return true;
  }
  return is_interrupted || is_to_leave;
}

bool LineEditor::Parts::take_signal(int signal) {
  if (signal == SIGWINCH) el_resize(editor);
  if (signal == SIGCONT) {  // the shell had the terminal meanwhile
    el_set(editor, EL_PREP_TERM, 1);
    el_set(editor, EL_REFRESH);
  }
  is_interrupted |= signal == SIGINT;
  is_to_leave |= signal == SIGTERM || signal == SIGHUP;
  return is_interrupted || is_to_leave;
}

// 1: a key, 0: the end, -1: stopped.
int LineEditor::Parts::next_key(wchar_t& key) {
  const auto stop = [this] { return must_stop(); };
  for (;;) {
    const auto byte = input.read_byte(stop);
    if (!byte) return must_stop() ? -1 : 0;
    if (*byte == kEscape) {
      if (input.take_if(in_paste ? kPasteEnds : kPasteBegins)) {
        in_paste = !in_paste;
        continue;
      }
      if (in_paste) continue;  // no key, but part of what was copied
    }
    if (!next_character(*byte, key)) continue;
    if (!in_paste) return 1;
    if (key == L'\n' || key == L'\r') key = kLineEndSign;
    if (key == L'\t') key = kTabSign;
    if (key >= 0x20 && key != 0x7F) return 1;
  }
}

// The bytes of one character come together, or as good as. False: they are none.
bool LineEditor::Parts::next_character(char first, wchar_t& key) {
  std::mbstate_t state{};
  for (char byte = first;;) {
    const auto length = std::mbrtowc(&key, &byte, 1, &state);
    if (length == static_cast<std::size_t>(-1)) return false;
    if (length != static_cast<std::size_t>(-2)) return true;
    const auto next = input.read_byte([this] { return must_stop(); });
    if (!next) return false;
    byte = *next;
  }
}

LineEditor::LineEditor(Input& input, Pump& pump, int output) : parts_(std::make_unique<Parts>(input, pump, output)) {}

LineEditor::~LineEditor() = default;

LineEditor::Got LineEditor::read(const std::string& prompt, std::string& line) {
  parts_->prompt = prompt;
  parts_->is_interrupted = parts_->is_to_leave = parts_->in_paste = false;
  write_all(parts_->output, kPasteOn);
  el_set(parts_->editor, EL_PREP_TERM, 1);  // before the prompt is seen: who is quick would be shown twice
  int count = 0;
  const char* got = el_gets(parts_->editor, &count);
  line = got != nullptr && count > 0 ? std::string(got, static_cast<std::size_t>(count)) : std::string();
  if (line.empty() && got == nullptr) {
    // What was typed so far, when a signal ended the line.
    const LineInfo* info = el_line(parts_->editor);
    if (info != nullptr && info->lastchar > info->buffer) line.assign(info->buffer, info->lastchar);
  }
  std::fflush(parts_->out);
  write_all(parts_->output, kPasteOff);
  while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
  replace_all(line, kLineEndSignText, "\n");
  replace_all(line, kTabSignText, "\t");
  if (parts_->is_to_leave) return Got::kLeave;
  if (parts_->is_interrupted) return write_all(parts_->output, "\n"), Got::kInterrupted;
  if (got == nullptr) return write_all(parts_->output, "\n"), Got::kEnd;
  return Got::kLine;
}

void LineEditor::remember(const std::string& line) {
  std::string shown = line;
  replace_all(shown, "\n", kLineEndSignText);
  replace_all(shown, "\t", kTabSignText);
  HistEvent event{};
  history(parts_->history, &event, H_ENTER, shown.c_str());
}

}  // namespace braidlog::terminal
