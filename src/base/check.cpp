#include "base/check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace braidlog {

void check_failed(const char* condition, const char* file, int line) {
  const char* name = std::strstr(file, "src/");
  std::fprintf(stderr, "level=fatal msg=\"check failed\" condition=\"%s\" at=%s:%d\n", condition, name ? name : file,
               line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace braidlog
