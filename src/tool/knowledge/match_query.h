// What a person or a model typed, as an expression of SQLite's full-text search that means nothing but its words.
#pragma once

#include <string>
#include <string_view>

namespace braidlog::tool {

// Any of the words, the last one as the beginning of a word: "return polic" is `"return" OR "polic"*`. Words that stand
// in every text ("the", "how") are left out unless there are no others. Each word is quoted and holds neither quotes
// nor signs, so no text is an operator, a column or a syntax error. Empty when there is no word at all. `text` is valid
// UTF-8.
std::string match_query(std::string_view text);

}  // namespace braidlog::tool
