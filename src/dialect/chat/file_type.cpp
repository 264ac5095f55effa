#include "dialect/chat/file_type.h"

#include "base/utf8.h"
#include "wire/http.h"

namespace braidlog::chat {

namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view media_type;
};
constexpr Magic kMagics[] = {
    {"\x89PNG\r\n\x1a\n"sv, "image/png"},
    {"\xff\xd8\xff"sv, "image/jpeg"},
    {"GIF87a"sv, "image/gif"},
    {"GIF89a"sv, "image/gif"},
    {"%PDF-"sv, "application/pdf"},
};

// Office documents are archives; each kind has a part of its own, and an archive names its parts in the clear.
constexpr std::string_view kArchive = "PK\x03\x04"sv;
constexpr Magic kArchiveParts[] = {
    {"word/document.xml"sv, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    {"xl/workbook.xml"sv, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    {"ppt/presentation.xml"sv, "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
};

constexpr TextType kPlain{"text/plain", ".txt"};
constexpr TextType kCsv{"text/csv", ".csv"};
constexpr TextType kMarkdown{"text/markdown", ".md"};

struct TextName {
  std::string_view name;
  TextType type;
};
constexpr TextName kExtensions[] = {{".txt", kPlain}, {".csv", kCsv}, {".md", kMarkdown}, {".markdown", kMarkdown}};
constexpr TextName kClaims[] = {
    {"text/plain", kPlain}, {"text/csv", kCsv}, {"text/markdown", kMarkdown}, {"text/x-markdown", kMarkdown}};

std::string_view essence_of(std::string_view media_type) {
  media_type = media_type.substr(0, media_type.find(';'));
  while (media_type.starts_with(' ') || media_type.starts_with('\t')) media_type.remove_prefix(1);
  while (media_type.ends_with(' ') || media_type.ends_with('\t')) media_type.remove_suffix(1);
  return media_type;
}

}  // namespace

std::string_view known_binary_type(std::string_view content) {
  for (const auto& magic : kMagics) {
    if (content.starts_with(magic.bytes)) return magic.media_type;
  }
  if (content.starts_with("RIFF") && content.substr(0, 12).ends_with("WEBP")) return "image/webp";
  if (!content.starts_with(kArchive)) return {};
  for (const auto& part : kArchiveParts) {
    if (content.find(part.bytes) != std::string_view::npos) return part.media_type;
  }
  return {};
}

bool is_text(std::string_view content) {
  return content.find('\0') == std::string_view::npos && is_valid_utf8(content);
}

TextType text_type(std::string_view name, std::string_view claimed) {
  for (const auto& [extension, type] : kExtensions) {
    if (name.size() > extension.size() && equals_ignoring_case(name.substr(name.size() - extension.size()), extension))
      return type;
  }
  for (const auto& [media_type, type] : kClaims) {
    if (equals_ignoring_case(essence_of(claimed), media_type)) return type;
  }
  return {};
}

}  // namespace braidlog::chat
