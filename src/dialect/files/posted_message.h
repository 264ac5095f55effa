// A message that may come with files, as JSON or as a form of a browser:
//
//   {"message":"Sum up","files":[{"filename":"a.txt","mime_type":"text/plain","content":"SGVsbG8="}]}
//   multipart/form-data with a part `message` and any number of parts `files`
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "dialect/body_fields.h"
#include "dialect/dialect.h"
#include "dialect/files/sent_files.h"

namespace braidlog::files {

// Its files point into it and into the request.
class PostedMessage {
 public:
  // Takes the fields of these names, which are texts; others are not looked at. The Content-Type says which of the two
  // it is. kMalformed, kBadField.
  static Result<PostedMessage> read(const RouteRequest& request, std::initializer_list<std::string_view> names);

  // None: it was not there.
  std::optional<std::string> field(std::string_view name) const;
  const std::vector<SentFile>& files() const { return files_; }

 private:
  static Result<PostedMessage> read_json(const RouteRequest& request, std::initializer_list<std::string_view> names);
  static Result<PostedMessage> read_form(const RouteRequest& request, std::string_view content_type,
                                         std::initializer_list<std::string_view> names);

  std::map<std::string, std::string, std::less<>> fields_;
  std::vector<SentFile> files_;
  std::unique_ptr<const BodyFields> body_;  // of JSON: what the files point into
};

}  // namespace braidlog::files
