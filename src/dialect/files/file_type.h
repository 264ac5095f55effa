// What a file is. Its content decides: a name or a claimed type can be wrong or meant to deceive. Only which kind of
// text a text is cannot be seen in it; there the name decides, else the claim.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"

namespace braidlog::files {

struct FileType {
  std::string_view media_type;  // empty: not known
  std::string_view extension;   // ".txt"
  std::string_view what;        // "a PNG image", for sentences; of texts empty
};

// Of formats that are known by their first bytes, and of office documents, which are archives, by the parts that they
// hold. An archive that does not open is application/zip; any other archive is not known.
FileType binary_type(std::string_view content);

// What is wrong with a file of that type as far as can be seen without unpacking it, as the end of a sentence that
// begins with its name. None: it can be given to who reads it, who may still find it broken. That is so for whatever
// anybody could still read: a PDF without its end, for one.
std::optional<std::string> damage_of(const FileType& type, std::string_view content, const Limits& limits);

// An office document as they were before they were archives, or one with a password.
bool is_old_office(std::string_view content);

// UTF-8 without U+0000.
bool is_text(std::string_view content);

// txt, csv or md, by the end of `name`, else by `claimed` ("text/csv; charset=utf-8").
FileType text_type(std::string_view name, std::string_view claimed);

}  // namespace braidlog::files
