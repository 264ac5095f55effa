// The console's files, as responses: GET / is its page, and the page brings the rest. Immutable.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "server/embedded_files.h"
#include "wire/http.h"

namespace braidlog {

class ConsoleAssets {
 public:
  // `files` outlives it.
  explicit ConsoleAssets(std::span<const EmbeddedFile> files) : files_(files) {}

  // What a GET or HEAD of this path gets; none: there is no such file. A path is looked up as it was sent: what is
  // encoded, or has dots to climb with, is the name of no file.
  //
  // The bytes are compressed for who takes gzip; each form has an ETag of its own, and 304 is the answer to who has it
  // already. Files of /assets have a digest in their name and never change; the page is asked for each time.
  std::optional<HttpResponse> answer(const HttpRequest& request) const;

 private:
  const EmbeddedFile* find(std::string_view path) const;

  std::span<const EmbeddedFile> files_;
};

}  // namespace braidlog
