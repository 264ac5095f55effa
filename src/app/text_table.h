// Rows of words as columns for people.
#pragma once

#include <string>
#include <vector>

namespace braidlog::app {

// Every column as wide as its widest cell, two spaces between. The first row is the heading.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace braidlog::app
