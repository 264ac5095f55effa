#include "tool/mcp/stdio_link.h"

#include <utility>

#include "base/log.h"
#include "base/utf8.h"

namespace braidlog::tool::mcp {

namespace {

constexpr std::size_t kLastWordsMax = 3;
constexpr std::size_t kWordsBytesMax = 300;

// Shortened last: a piece of a secret would not be found.
std::string presentable(std::string_view line, const Secrets& secrets) {
  return std::string(utf8_prefix(secrets.removed_from(to_valid_utf8(line)), kWordsBytesMax));
}

}  // namespace

Result<std::unique_ptr<Link>> StdioLink::start(const SpawnPlan& plan, LinkOwner& owner, Place place) {
  auto spawned = spawn(plan);
  if (!spawned) return fail(spawned.error());
  std::unique_ptr<StdioLink> link(new StdioLink(owner, std::move(place)));
  link->process_ = Process::watch(std::move(*spawned), *link, {link->place_.loop, link->place_.message_bytes_max});
  return link;
}

StdioLink::~StdioLink() {
  *self_ = nullptr;
  place_.farewells.stop(std::move(process_));
}

void StdioLink::send(OutgoingMessage message) {
  if (process_->send(message.text) || message.id == 0) return;
  place_.loop.post([self = self_, id = message.id] {
    if (*self != nullptr) (*self)->owner_.on_lost(id, {Loss::kNotSent, "does not read what it is sent"});
  });
}

void StdioLink::on_line(std::string_view line) {
  auto messages = read_messages(line);
  if (!messages) {
    // Programs print greetings where only messages belong; nothing is lost by passing over them.
    log_debug("an MCP server wrote a line that is no message",
              {{"server", place_.server}, {"line", presentable(line, place_.secrets)}});
    return lose_unread(line.substr(0, 256), line.substr(line.size() > 256 ? line.size() - 256 : 0), Loss::kUnreadable);
  }
  for (auto& message : *messages) owner_.on_message(std::move(message));
}

void StdioLink::on_oversize(std::string_view head, std::string_view tail) {
  log_warn("an MCP server wrote a message over the limit", {{"server", place_.server}});
  lose_unread(head, tail, Loss::kTooLarge);
}

void StdioLink::lose_unread(std::string_view head, std::string_view tail, Loss loss) {
  const auto id = guess_answered(head, tail);
  if (id) owner_.on_lost(*id, {loss, "wrote a message that cannot be read"});
}

void StdioLink::on_words(std::string_view line) {
  last_words_.push_back(presentable(line, place_.secrets));
  if (last_words_.size() > kLastWordsMax) last_words_.pop_front();
  log_debug("an MCP server says", {{"server", place_.server}, {"line", last_words_.back()}});
}

void StdioLink::on_gone(std::string how) {
  if (!last_words_.empty()) how += ": " + last_words();
  owner_.on_down(std::move(how));
}

std::string StdioLink::last_words() const {
  std::string out;
  for (const auto& line : last_words_) out += (out.empty() ? "" : " | ") + line;
  return out;
}

}  // namespace braidlog::tool::mcp
