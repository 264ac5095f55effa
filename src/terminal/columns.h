// How wide text is on a terminal, and text that fits. Colours of our own (ESC [ … m) have no width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace braidlog::terminal {

// The C library knows the width of a character only in a locale of UTF-8: takes the user's where it is one, else the
// plain one. Once, before anything else here; without it every character counts as one column.
void use_utf8_locale();

// Of valid UTF-8 on one line.
std::size_t width_of(std::string_view text);

// `text`, or as much of it as fits with an ellipsis at its end. Without colours.
std::string cut_to(std::string_view text, std::size_t columns);

// Rows of words as columns for people: every column as wide as its widest cell, two spaces between, none at the end of
// a line. The first row is the heading.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace braidlog::terminal
