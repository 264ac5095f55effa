// The requests about files. A path is a label below the workspace's root. The workspace itself guards its
// borders when it opens the file; what can be seen from the path alone is refused here, before anybody looks
// for the session.
#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/path_ids.h"
#include "dialect/runs/request.h"
#include "wire/multipart.h"

namespace braidlog::runs {

namespace {

constexpr std::size_t kUploadPartsMax = 16;

bool is_inside(std::string_view path, const Limits& limits) {
  if (path.empty() || path.size() > limits.workspace_path_bytes_max || !is_valid_utf8(path)) return false;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(path, is_control)) return false;
  while (true) {
    const auto slash = path.find('/');
    const auto part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

Result<std::string> checked_path(std::string_view path, const Limits& limits) {
  if (is_inside(path, limits)) return std::string(path);
  return fail(ErrorCode::kInvalidPath, "This is no path inside the workspace");
}

// The one part called `file`. Other parts are ignored, as unknown fields are.
Result<const MultipartPart*> file_part(const std::vector<MultipartPart>& parts) {
  const MultipartPart* found = nullptr;
  for (const auto& part : parts) {
    if (part.name != "file") continue;
    if (found != nullptr) return bad_field("file", "must be there once");
    found = &part;
  }
  if (found == nullptr) return bad_field("file", "is required");
  if (!found->filename || found->filename->empty()) return bad_field("file", "must have a file name");
  return found;
}

}  // namespace

Result<api::PutFile> read_upload(const RouteRequest& request) {
  const auto content_type = request.http.header("Content-Type").value_or("");
  const auto parts = parse_multipart(content_type, request.http.body, kUploadPartsMax);
  if (!parts) return fail(parts.error());
  const auto file = file_part(*parts);
  if (!file) return fail(file.error());
  if ((*file)->content.size() > request.limits.upload_bytes_max) {
    return fail(ErrorCode::kTooLarge, "The file is too large");
  }
  auto path = checked_path(*(*file)->filename, request.limits);
  if (!path) return fail(std::move(path.error()));
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  return api::PutFile{.session_id = *session_id, .path = std::move(*path), .content = std::string((*file)->content)};
}

Result<api::ListFiles> read_list_files(const RouteRequest& request) {
  return session_id_of(request.captured[0]).map([](SessionId id) { return api::ListFiles{id}; });
}

Result<api::GetFile> read_get_file(const RouteRequest& request) {
  auto path = checked_path(request.captured[1], request.limits);
  if (!path) return fail(std::move(path.error()));
  const auto session_id = session_id_of(request.captured[0]);
  if (!session_id) return fail(session_id.error());
  return api::GetFile{.session_id = *session_id, .path = std::move(*path)};
}

}  // namespace braidlog::runs
