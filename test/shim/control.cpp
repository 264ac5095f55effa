#include "control.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace faultline {

namespace {

// Past our own functions: the library's own calls must not meet its own rules.
long kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  static auto* const call = reinterpret_cast<decltype(::syscall)*>(::dlsym(RTLD_NEXT, "syscall"));
  return call(number, a, b, c, d);
}

long pointer(const void* address) {
  return reinterpret_cast<long>(address);
}

struct Control {
  Rule* rules = nullptr;
  const char* data = nullptr;  // the data folder, absolute, without a slash at its end
  std::size_t data_size = 0;
  int effects = -1;
};

// Read from the environment when the library is loaded; the server's own code has not begun then.
Control read_control() {
  Control control;
  control.data = std::getenv("FAULTLINE_DATA");
  if (control.data) control.data_size = std::strlen(control.data);
  if (const char* path = std::getenv("FAULTLINE_EFFECTS")) {
    control.effects =
        static_cast<int>(kernel(SYS_openat, AT_FDCWD, pointer(path), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  }
  if (const char* path = std::getenv("FAULTLINE_CONTROL")) {
    const int fd = static_cast<int>(kernel(SYS_openat, AT_FDCWD, pointer(path), O_RDWR | O_CLOEXEC));
    if (fd >= 0) {
      void* area = ::mmap(nullptr, sizeof(Rule) * kRules, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (area != MAP_FAILED) control.rules = static_cast<Rule*>(area);
      kernel(SYS_close, fd);
    }
  }
  return control;
}

const Control& control() {
  static const Control kControl = read_control();
  return kControl;
}

// Looked up before main(), when the environment is what the test made it.
__attribute__((constructor)) void load() {
  (void)control();
}

struct Path {
  char text[2 * PATH_MAX];
};

// The path of a descriptor, or of a name in a folder. Empty when there is none. Leaves errno alone.
Path path_of(int folder, const char* name = nullptr) {
  const int error = errno;
  Path path{};
  if (name && name[0] == '/') {
    std::snprintf(path.text, sizeof path.text, "%s", name);
    return path;
  }
  char link[40];
  if (folder == AT_FDCWD) {
    std::snprintf(link, sizeof link, "/proc/self/cwd");
  } else {
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
  }
  const long size = kernel(SYS_readlinkat, AT_FDCWD, pointer(link), pointer(path.text), PATH_MAX - 1);
  if (size <= 0) {
    path.text[0] = 0;
  } else if (name) {
    std::snprintf(path.text + size, sizeof path.text - static_cast<std::size_t>(size), "/%s", name);
  }
  errno = error;
  return path;
}

bool ends_with(const char* text, const char* end) {
  const std::size_t size = std::strlen(text), end_size = std::strlen(end);
  return size >= end_size && std::strcmp(text + size - end_size, end) == 0;
}

File kind_of(const Path& path) {
  const Control& here = control();
  if (!here.data || std::strncmp(path.text, here.data, here.data_size) != 0) return kOther;
  const char* rest = path.text + here.data_size;
  if (std::strncmp(rest, "/workspaces/.scratch", 20) == 0) return kScratch;
  if (std::strncmp(rest, "/workspaces/", 12) == 0) return kWorkspace;
  if (ends_with(rest, ".db-wal")) return kLog;
  if (ends_with(rest, ".db-shm")) return kIndex;
  if (ends_with(rest, ".db")) return kDatabase;
  return kFolder;
}

// Asks for the path only when a rule names the call: most calls of a server cost nothing here.
template <class KindOf>
Strike judge(Call call, KindOf kind_of_call) {
  Rule* rules = control().rules;
  if (!rules) return {};
  std::uint32_t kind = 0;
  Strike strike;
  for (unsigned i = 0; i < kRules; ++i) {
    Rule& rule = rules[i];
    const Action action = rule.action.load(std::memory_order_acquire);
    if (action == Action::kNone || !(rule.calls & call)) continue;
    if (kind == 0) kind = kind_of_call();
    if (!(rule.files & kind)) continue;
    const std::uint32_t passed = rule.passed.fetch_add(1);
    if (passed < rule.skip || (rule.count != 0 && passed - rule.skip >= rule.count)) continue;
    rule.struck.fetch_add(1);
    if (strike.action == Action::kNone) strike = {action, rule.error};
  }
  return strike;
}

}  // namespace

Strike judge_descriptor(Call call, int fd) {
  return judge(call, [&] { return kind_of(path_of(fd)); });
}

Strike judge_path(Call call, int folder, const char* path) {
  return judge(call, [&] { return kind_of(path_of(folder, path)); });
}

Strike judge_wire(Call call) {
  return judge(call, [] { return kWire; });
}

void note_effect(int from_folder, const char* from, int to_folder, const char* to) {
  const int error = errno;
  const Path target = path_of(to_folder, to);
  const Control& here = control();
  if (here.effects >= 0 && kind_of(target) == kWorkspace) {
    const Path source = path_of(from_folder, from);
    const bool is_new = kind_of(source) == kScratch;
    char line[4 * PATH_MAX + 16];
    const int size = std::snprintf(line, sizeof line, "%s\t%s\t%s\n", is_new ? "write" : "rename",
                                   is_new ? "" : source.text + here.data_size, target.text + here.data_size);
    kernel(SYS_write, here.effects, pointer(line), size);
  }
  errno = error;
}

void die() {
  for (;;) kernel(SYS_kill, kernel(SYS_getpid), SIGKILL);
}

}  // namespace faultline
