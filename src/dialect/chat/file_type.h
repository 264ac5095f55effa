// What a file is. Its content decides: a name or a claimed type can be wrong or meant to deceive. Only which kind of
// text a text is cannot be seen in it; there the name decides, else the claim.
#pragma once

#include <string_view>

namespace braidlog::chat {

// The media type of formats that are known by their first bytes (for office documents: by what their archive holds);
// empty for all others.
std::string_view known_binary_type(std::string_view content);

// UTF-8 without U+0000.
bool is_text(std::string_view content);

struct TextType {
  std::string_view media_type;
  std::string_view extension;  // ".txt"
};
// txt, csv or md, by the end of `name`, else by `claimed` ("text/csv; charset=utf-8"). None: `media_type` is empty.
TextType text_type(std::string_view name, std::string_view claimed);

}  // namespace braidlog::chat
