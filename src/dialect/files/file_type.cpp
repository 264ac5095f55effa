#include "dialect/files/file_type.h"

#include "base/utf8.h"
#include "dialect/files/image_header.h"
#include "dialect/files/zip_directory.h"
#include "wire/http.h"

namespace braidlog::files {

namespace {

using namespace std::string_view_literals;

constexpr FileType kPng{"image/png", ".png", "a PNG image"};
constexpr FileType kJpeg{"image/jpeg", ".jpg", "a JPEG image"};
constexpr FileType kGif{"image/gif", ".gif", "a GIF image"};
constexpr FileType kWebp{"image/webp", ".webp", "a WebP image"};
constexpr FileType kPdf{"application/pdf", ".pdf", "a PDF"};
constexpr FileType kBrokenArchive{"application/zip", ".zip", "an archive"};
constexpr FileType kWord{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx",
                         "a Word document"};
constexpr FileType kSheets{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx",
                           "an Excel workbook"};
constexpr FileType kSlides{"application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx",
                           "a PowerPoint presentation"};

struct Magic {
  std::string_view bytes;
  FileType type;
};
constexpr std::string_view kPdfMagic = "%PDF-"sv;
constexpr Magic kMagics[] = {
    {"\x89PNG\r\n\x1a\n"sv, kPng}, {"\xff\xd8\xff"sv, kJpeg}, {"GIF87a"sv, kGif}, {"GIF89a"sv, kGif}, {kPdfMagic, kPdf},
};

// Each kind of office document has a main part of its own; some programs number it.
constexpr std::string_view kArchive = "PK\x03\x04"sv;
constexpr Magic kMainParts[] = {
    {"word/document"sv, kWord}, {"xl/workbook"sv, kSheets}, {"ppt/presentation"sv, kSlides}};

constexpr std::string_view kOldOffice = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv;
constexpr std::size_t kPdfJunkBytesMax = 1024;  // what readers of PDF put up with before it begins

constexpr FileType kPlain{"text/plain", ".txt", {}};
constexpr FileType kCsv{"text/csv", ".csv", {}};
constexpr FileType kMarkdown{"text/markdown", ".md", {}};

struct TextName {
  std::string_view name;
  FileType type;
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

// "word/document.xml", "word/document2.xml", but not "word/documents/a.xml".
bool is_main_part(std::string_view name, std::string_view beginning) {
  return name.starts_with(beginning) && name.ends_with(".xml") &&
         name.substr(beginning.size()).find('/') == std::string_view::npos;
}

FileType archive_type(std::string_view content) {
  const auto directory = read_zip_directory(content);
  if (!directory) return kBrokenArchive;
  for (const auto& entry : directory->entries) {
    for (const auto& [beginning, type] : kMainParts) {
      if (is_main_part(entry.name, beginning)) return type;
    }
  }
  return {};
}

bool is_image(const FileType& type) {
  return type.media_type.starts_with("image/");
}

struct Unit {
  std::size_t size;
  const char* name;
};
// In the largest of two units that it is a number of: "200 MiB", "99 bytes".
std::string in_words(std::size_t number, Unit large, const char* small) {
  return number % large.size == 0 ? std::to_string(number / large.size) + large.name : std::to_string(number) + small;
}

std::optional<std::string> damage_of_image(const FileType& type, std::string_view content, const Limits& limits) {
  const auto size = image_size(type.media_type, content);
  if (!size) return "is not " + std::string(type.what) + " that can be read";
  if (size->width * size->height <= limits.extraction_pixels_max) return std::nullopt;
  return "has more than " + in_words(limits.extraction_pixels_max, {1'000'000, " million"}, "") + " pixels";
}

std::optional<std::string> damage_of_archive(const FileType& type, std::string_view content, const Limits& limits) {
  const auto directory = read_zip_directory(content);
  if (!directory) return "is not " + std::string(type.what) + " that can be read";
  if (directory->has_more) return "has more than " + std::to_string(kZipEntriesMax) + " parts";
  if (directory->unpacked_bytes <= limits.extraction_unpacked_bytes_max) return std::nullopt;
  return "unpacks to more than " + in_words(limits.extraction_unpacked_bytes_max, {1024 * 1024, " MiB"}, " bytes");
}

}  // namespace

FileType binary_type(std::string_view content) {
  for (const auto& magic : kMagics) {
    if (content.starts_with(magic.bytes)) return magic.type;
  }
  if (content.starts_with("RIFF") && content.substr(0, 12).ends_with("WEBP")) return kWebp;
  if (content.starts_with(kArchive)) return archive_type(content);
  // A text may speak of PDF without being one.
  if (content.substr(0, kPdfJunkBytesMax).find(kPdfMagic) != std::string_view::npos && !is_text(content)) return kPdf;
  return {};
}

std::optional<std::string> damage_of(const FileType& type, std::string_view content, const Limits& limits) {
  if (is_image(type)) return damage_of_image(type, content, limits);
  if (type.media_type != kPdf.media_type) return damage_of_archive(type, content, limits);
  // A PDF is made of objects; where its table of them is broken, readers look for this word.
  if (content.find("obj") == std::string_view::npos) return "is not a PDF that can be read";
  return std::nullopt;
}

bool is_old_office(std::string_view content) {
  return content.starts_with(kOldOffice);
}

bool is_text(std::string_view content) {
  return content.find('\0') == std::string_view::npos && is_valid_utf8(content);
}

FileType text_type(std::string_view name, std::string_view claimed) {
  for (const auto& [extension, type] : kExtensions) {
    if (name.size() > extension.size() && equals_ignoring_case(name.substr(name.size() - extension.size()), extension))
      return type;
  }
  for (const auto& [media_type, type] : kClaims) {
    if (equals_ignoring_case(essence_of(claimed), media_type)) return type;
  }
  return {};
}

}  // namespace braidlog::files
