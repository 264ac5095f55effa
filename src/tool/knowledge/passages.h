// A document in pieces that can be found and quoted one by one: what stands below a heading, cut between two paragraphs
// where it is long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace braidlog::tool {

struct Passage {
  std::string title;   // the headings above it, outermost first: "Returns and refunds / Exchanges"
  std::string source;  // the document's name
  std::string text;    // not blank
};

// `name` ends in .md for Markdown, whose headings (lines that begin with one to six #) are followed; anything else is
// plain text. A document without a heading has its name, without the extension, as its title. `text` is valid UTF-8.
std::vector<Passage> split_into_passages(std::string_view name, std::string_view text);

}  // namespace braidlog::tool
