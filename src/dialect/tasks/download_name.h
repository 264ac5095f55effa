// The file that a browser saves an artifact as. An artifact's name is a title that a model wrote: any text, mostly
// without an ending, and never a path.
//
//   "Competitor Analysis"   Competitor Analysis.md    text/markdown
//   "prices.csv"            prices.csv                text/plain
//   "index.html"            index.html.txt            text/plain: nothing that a double click would run
//   "../../etc/passwd"      _.._etc_passwd.md          text/markdown
#pragma once

#include <string>
#include <string_view>

namespace braidlog::tasks {

struct DownloadName {
  std::string file;  // never empty, one part of a path on every system, at most 120 bytes and its ending
  std::string_view media_type;
};

// `name` is valid UTF-8.
DownloadName download_name(std::string_view name);

}  // namespace braidlog::tasks
