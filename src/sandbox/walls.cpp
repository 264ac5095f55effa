#include "sandbox/walls.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string_view>

namespace braidlog::sandbox {

namespace {

// Takes its own program from the server, as modules in one frame, and becomes it. So no file of ours has to be visible
// inside.
constexpr const char* kBoot = R"(
import json,os,sys,types
def take(n):
 b=b''
 while len(b)<n:
  p=os.read(3,n-len(b))
  if not p:os._exit(3)
  b+=p
 return b
for name,source in json.loads(take(int.from_bytes(take(4),'little'))):
 m=sys.modules[name]=types.ModuleType(name)
 exec(compile(source,'<'+name+'>','exec'),m.__dict__)
m.main()
)";

bool is_program(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::string real_path(const std::string& path) {
  char* resolved = ::realpath(path.c_str(), nullptr);
  std::string out = resolved ? resolved : "";
  ::free(resolved);
  return out;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder);
}

bool is_visible_inside(const std::string& python) {
  return is_below(python, "/usr/") && is_below(real_path(python), "/usr/");
}

template <class Wanted>
std::string find_in_path(const std::string& name, Wanted wanted) {
  const char* path = ::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto end = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (candidate.front() == '/' && is_program(candidate) && wanted(candidate)) return candidate;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return name;
}

// /lib and its kin: links into /usr on most hosts, folders of their own on old ones.
void add_library_folders(std::vector<std::string>& argv) {
  for (const std::string name : {"/bin", "/lib", "/lib32", "/lib64"}) {
    struct stat found {};
    if (::lstat(name.c_str(), &found) != 0) continue;
    if (S_ISLNK(found.st_mode)) {
      argv.insert(argv.end(), {"--symlink", "usr" + name, name});
    } else {
      argv.insert(argv.end(), {"--ro-bind", name, name});
    }
  }
}

// A user that nobody else is, if this host has it: a range that distributions give to nobody, or, in a container whose
// users end at 65535, one that Debian keeps reserved.
uid_t user_of(unsigned number) {
  constexpr uid_t kUnused = 1'900'000'000;
  constexpr uid_t kReserved = 65'000;
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  while (map >> inside >> outside >> count) {
    if (inside <= kUnused && kUnused + number < inside + count) return kUnused + number;
  }
  return kReserved + number % 500;
}

}  // namespace

Programs find_programs(const ProgramOptions& options) {
  const auto find_python = [] {
    return is_program("/usr/bin/python3") ? "/usr/bin/python3" : find_in_path("python3", is_visible_inside);
  };
  return {.bwrap = options.bwrap ? *options.bwrap : find_in_path("bwrap", [](const std::string&) { return true; }),
          .python = options.python ? *options.python : find_python(),
          .start_time_max = options.start_time_max};
}

std::optional<std::string> missing_program(const Programs& programs) {
  if (!is_program(programs.bwrap)) return "bubblewrap (bwrap) was not found: install the package bubblewrap";
  if (!is_program(programs.python)) return "python3 was not found below /usr: install the package python3";
  if (!is_visible_inside(programs.python)) return "python3 is outside of /usr, which is all that a sandbox sees";
  return std::nullopt;
}

SpawnPlan plan_of(const Programs& programs, const Limits& limits, unsigned number) {
  return plan_of(programs, Room{limits.code_memory_bytes_max, limits.code_disk_bytes_max}, number);
}

SpawnPlan plan_of(const Programs& programs, const Room& room, unsigned number) {
  SpawnPlan plan;
  plan.argv = {programs.bwrap,
               "--unshare-user",
               "--unshare-pid",
               "--unshare-net",
               "--unshare-ipc",
               "--unshare-uts",
               "--unshare-cgroup-try",
               "--uid",
               "1000",
               "--gid",
               "1000",
               "--hostname",
               "sandbox",
               "--cap-drop",
               "ALL",
               "--new-session",
               "--die-with-parent",
               "--as-pid-1",
               "--seccomp",
               std::to_string(kFilterFd),
               "--ro-bind",
               "/usr",
               "/usr"};
  auto& argv = plan.argv;
  // What the host's people put there is not for agents, unless it is Python itself.
  if (!is_below(real_path(programs.python), "/usr/local/") && ::access("/usr/local", F_OK) == 0) {
    argv.insert(argv.end(), {"--tmpfs", "/usr/local", "--remount-ro", "/usr/local"});
  }
  add_library_folders(argv);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    argv.insert(argv.end(), {"--dev-bind", device, device});
  }
  argv.insert(argv.end(), {"--perms", "0700", "--size", std::to_string(room.disk_bytes_max), "--tmpfs", kHome,
                           "--symlink", std::string(kHome).substr(1), "/tmp"});
  // The root is a tmpfs as well, and that one has no limit.
  argv.insert(argv.end(), {"--remount-ro", "/", "--chdir", kHome, "--"});
  argv.insert(argv.end(), {programs.python, "-I", "-S", "-B", "-c", kBoot});
  plan.environment = {"PATH=/usr/bin", std::string("HOME=") + kHome, "LANG=C.UTF-8"};
  plan.limits = {{RLIMIT_AS, room.memory_bytes_max},
                 {RLIMIT_FSIZE, room.disk_bytes_max},
                 {RLIMIT_NOFILE, kOpenFilesMax},
                 {RLIMIT_CORE, 1},  // not 0, which a core_pattern that is a program does not mind
                 {RLIMIT_MEMLOCK, 0},
                 {RLIMIT_MSGQUEUE, 0},
                 {RLIMIT_SIGPENDING, 64},
                 {RLIMIT_STACK, 8 * 1024 * 1024}};
  if (::geteuid() == 0) plan.user = user_of(number);
  return plan;
}

}  // namespace braidlog::sandbox
