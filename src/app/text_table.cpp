#include "app/text_table.h"

#include <algorithm>

#include "base/utf8.h"

namespace braidlog::app {

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], count_code_points(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - count_code_points(row[i]) + 2, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace braidlog::app
