#include "dialect/files/sent_files.h"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "dialect/body_fields.h"
#include "dialect/files/file_type.h"
#include "wire/base64.h"

namespace braidlog::files {

namespace {

constexpr std::size_t kNameBytesMax = 255;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_named(const SentFile& file) {
  return file.name && !is_blank(*file.name);
}

std::string label_of(const SentFile& file, std::size_t index) {
  return is_named(file) ? *file.name : "file-" + std::to_string(index + 1);
}

std::string quoted(std::string_view label) {
  return "The file `" + std::string(label) + "` ";
}

Status check_name(const std::string& name) {
  const auto is_refused = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '/' || c == '\\';
  };
  constexpr std::string_view kLineEnds[] = {"\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
  const bool is_label =
      name.size() <= kNameBytesMax && is_valid_utf8(name) && name != "." && name != ".." &&
      std::ranges::none_of(name, is_refused) &&
      std::ranges::none_of(kLineEnds, [&](auto line_end) { return name.find(line_end) != std::string::npos; });
  if (is_label) return {};
  return bad_field("filename", "must be a name of at most " + std::to_string(kNameBytesMax) +
                                   " bytes, without slashes and control characters");
}

Status check_size(const SentFile& file, const std::string& label, const Limits& limits) {
  const std::size_t size = file.coding == FileCoding::kBase64 ? base64_decoded_size(file.content) : file.content.size();
  if (size <= limits.chat_file_bytes_max) return {};
  return fail(ErrorCode::kTooLarge,
              quoted(label) + "has more than " + std::to_string(limits.chat_file_bytes_max) + " bytes", label);
}

Result<std::string> decode(const SentFile& file, const std::string& label) {
  if (file.coding == FileCoding::kNone) return std::string(file.content);
  auto content = decode_base64(file.content);
  if (!content) return fail(ErrorCode::kBadField, quoted(label) + "is not valid base64", "files");
  return std::move(*content);
}

Error cannot_be_read(const api::AttachedFile& file, std::string_view why) {
  return {ErrorCode::kUnsupportedMedia, quoted(file.name) + std::string(why), file.name};
}

// Gives the file its type, and a nameless one the ending that goes with it.
Status find_type(api::AttachedFile& file, const SentFile& sent, const Limits& limits) {
  FileType type = binary_type(file.content);
  if (!type.media_type.empty()) {
    if (const auto damage = damage_of(type, file.content, limits)) {
      return fail(ErrorCode::kBadFile, quoted(file.name) + *damage, file.name);
    }
  } else {
    if (is_old_office(file.content)) {
      return fail(cannot_be_read(file,
                                 "is an office document with a password or of the old kind; what can be read are "
                                 "docx, xlsx and pptx files"));
    }
    type = text_type(file.name, sent.claimed_type);
    if (type.media_type.empty() || !is_text(file.content)) {
      return fail(cannot_be_read(file,
                                 "cannot be read; what can be are png, jpeg, gif, webp, pdf, docx, xlsx and pptx "
                                 "files, and txt, csv and md files in UTF-8"));
    }
  }
  file.media_type = type.media_type;
  if (!is_named(sent)) file.name += type.extension;
  return {};
}

}  // namespace

Result<std::vector<api::AttachedFile>> check_files(const std::vector<SentFile>& sent, const Limits& limits) {
  for (const auto& file : sent) {
    if (!is_named(file)) continue;
    if (auto status = check_name(*file.name); !status) return fail(std::move(status.error()));
  }
  if (sent.size() > limits.chat_files_max) {
    return bad_field("files", "must be at most " + std::to_string(limits.chat_files_max));
  }
  std::vector<api::AttachedFile> files;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    files.push_back({.name = label_of(sent[i], i), .media_type = {}, .content = {}});
    if (auto status = check_size(sent[i], files[i].name, limits); !status) return fail(std::move(status.error()));
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    auto content = decode(sent[i], files[i].name);
    if (!content) return fail(std::move(content.error()));
    files[i].content = std::move(*content);
  }
  for (const auto& file : files) {
    if (file.content.empty() || file.content == kByteOrderMark)
      return fail(ErrorCode::kBadField, quoted(file.name) + "is empty", "files");
  }
  for (std::size_t i = 0; i < sent.size(); ++i) {
    if (auto status = find_type(files[i], sent[i], limits); !status) return fail(std::move(status.error()));
  }
  return files;
}

std::string digest_of(const api::AttachedFile& file) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits(file.content.data(), file.content.size()));
  std::string text;
  for (const unsigned char byte : bytes.digest) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace braidlog::files
