#include "terminal/frame_splitter.h"

namespace braidlog::terminal {

Frame read_frame(std::string_view bytes) {
  Frame frame{.bytes = bytes, .id = {}, .data = {}};
  for (auto rest = bytes; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + (line.size() < rest.size() ? 1 : 0));
    if (line.starts_with("id: ")) frame.id = line.substr(4);
    if (line.starts_with("data: ")) frame.data = line.substr(6);
  }
  return frame;
}

}  // namespace braidlog::terminal
