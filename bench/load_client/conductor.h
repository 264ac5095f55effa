// How the script that measures and this client keep step: the client prints lines of JSON on stdout, and waits where it
// says so for a line on stdin. In between the script reads what the server has used.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

// One line of JSON, with its keys in order.
class JsonLine {
 public:
  JsonLine& add(const std::string& key, double value);
  JsonLine& add(const std::string& key, std::uint64_t value);
  JsonLine& add(const std::string& key, const std::string& value);
  void print() const;

 private:
  JsonLine& add_raw(const std::string& key, const std::string& value);

  std::string fields_;
};

// Prints {"state":STATE} and blocks until a line comes. The end of stdin ends the program: nobody is measuring.
void wait_for_go(const std::string& state);

}  // namespace bench
