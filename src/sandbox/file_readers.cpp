#include "sandbox/file_readers.h"

#include <unistd.h>

namespace braidlog::sandbox {

namespace {

constexpr std::size_t kMiB = 1024 * 1024;

constexpr std::string_view kRecognizer[] = {"tesseract"};
constexpr std::string_view kPdfPrograms[] = {"pdfinfo", "pdftotext", "pdftoppm", "tesseract"};
constexpr std::string_view kRecognizerPackages = "tesseract-ocr and tesseract-ocr-eng";
constexpr std::string_view kPdfPackages = "poppler-utils, tesseract-ocr and tesseract-ocr-eng";
constexpr std::string_view kPython = "python3";

constexpr FileReader image(std::string_view media_type, std::string_view what) {
  return {media_type, what, kRecognizerPackages, kRecognizer, kMiB, true};
}
constexpr FileReader document(std::string_view media_type, std::string_view what) {
  return {media_type, what, kPython, {}, kMiB, false};
}

constexpr FileReader kReaders[] = {
    image("image/png", "a PNG image"),
    image("image/jpeg", "a JPEG image"),
    image("image/gif", "a GIF image"),
    image("image/webp", "a WebP image"),
    // A page as an image takes up to 25 MiB.
    {"application/pdf", "a PDF", kPdfPackages, kPdfPrograms, 64 * kMiB, false},
    document("application/vnd.openxmlformats-officedocument.wordprocessingml.document", "a Word document"),
    document("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "an Excel workbook"),
    document("application/vnd.openxmlformats-officedocument.presentationml.presentation", "a PowerPoint presentation"),
    document("text/html", "a web page"),
};

}  // namespace

const FileReader* find_file_reader(std::string_view media_type) {
  media_type = media_type.substr(0, media_type.find(';'));
  while (media_type.ends_with(' ')) media_type.remove_suffix(1);
  for (const auto& reader : kReaders) {
    if (reader.media_type == media_type) return &reader;
  }
  return nullptr;
}

std::optional<std::string> missing_reader_program(const FileReader& reader, const std::string& folder) {
  for (const auto program : reader.programs) {
    const std::string path = folder + "/" + std::string(program);
    if (::access(path.c_str(), X_OK) == 0) continue;
    return std::string(program) + " was not found in " + folder + ": install the packages " +
           std::string(reader.packages);
  }
  return std::nullopt;
}

}  // namespace braidlog::sandbox
