// The documents in the binary: the files of tool/knowledge/documents/, of a shop that does not exist. They let the
// agent `support` be tried without documents of one's own. The build makes the source from the files (embed.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace braidlog::tool {

struct EmbeddedDocument {
  std::string_view name;  // of the file
  std::string_view text;
};

// By name.
const std::vector<EmbeddedDocument>& embedded_documents();

}  // namespace braidlog::tool
