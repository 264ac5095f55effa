#include "wire/flags.h"

#include <charconv>

#include "wire/socket.h"

namespace bench {

Flags::Flags(int argc, char** argv) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (name == "--") {
      rest_.assign(argv + i + 1, argv + argc);
      return;
    }
    if (!name.starts_with("--") || i + 1 == argc) give_up("expected --name value, found " + std::string(name));
    values_.emplace(name.substr(2), argv[i + 1]);
  }
}

std::string Flags::text(std::string_view name, std::string_view otherwise) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string(otherwise) : found->second;
}

std::uint64_t Flags::number(std::string_view name, std::uint64_t otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return otherwise;
  const std::string& text = found->second;
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    give_up("--" + std::string(name) + " needs a number, not " + text);
  }
  return value;
}

}  // namespace bench
