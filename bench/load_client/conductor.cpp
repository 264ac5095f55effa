#include "load_client/conductor.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace bench {

JsonLine& JsonLine::add(const std::string& key, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return add_raw(key, text);
}

JsonLine& JsonLine::add(const std::string& key, std::uint64_t value) {
  return add_raw(key, std::to_string(value));
}

JsonLine& JsonLine::add(const std::string& key, const std::string& value) {
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return add_raw(key, quoted + "\"");
}

JsonLine& JsonLine::add_raw(const std::string& key, const std::string& value) {
  fields_ += (fields_.empty() ? "\"" : ",\"") + key + "\":" + value;
  return *this;
}

void JsonLine::print() const {
  std::printf("{%s}\n", fields_.c_str());
  std::fflush(stdout);
}

void wait_for_go(const std::string& state) {
  JsonLine().add("state", state).print();
  char c = 0;
  while (c != '\n') {
    if (::read(STDIN_FILENO, &c, 1) != 1) std::exit(1);
  }
}

}  // namespace bench
