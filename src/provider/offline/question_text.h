// What a question asks for, where tools and code answer the same questions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace braidlog::provider {

// "12 * 7 + 3" of "What is 12 times 7 plus 3?": numbers, signs, brackets and the calculator's functions, in lower case.
// None when the question is about anything else.
std::optional<std::string> expression_in(std::string_view ask);

bool asks_for_time(std::string_view ask);
// "+02:00", wherever it stands in the question; empty without one.
std::string offset_asked_for(std::string_view ask);

// "list files", "show me all the files".
bool asks_for_file_list(std::string_view ask);

}  // namespace braidlog::provider
