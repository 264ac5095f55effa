// Code that wants out: each way of fault 28, tried for real. The code may end with an error or be killed, but the named
// wall stands, and the next code runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>

#include "sandbox/testing/code_runner.h"

namespace braidlog::sandbox {
namespace {

using testing::CodeRunner;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SandboxTest;

class EscapeTest : public SandboxTest {
 protected:
  EscapeTest() : run_(open()) {}

  // The error of code that is refused; the process lives on.
  std::string refused(const std::string& code) {
    const auto outcome = run_->run(code);
    EXPECT_TRUE(outcome.error) << code << "\nprinted: " << outcome.printed << "\nvalue: " << outcome.value.value_or("");
    EXPECT_FALSE(outcome.lost) << outcome.error.value_or("");
    EXPECT_EQ(run_->run("20 + 22").value, "42") << "after: " << code;
    return outcome.error.value_or("");
  }
  std::string value(const std::string& code) {
    const auto outcome = run_->run(code);
    EXPECT_EQ(outcome.error, std::nullopt) << code;
    return outcome.value.value_or("");
  }

  std::unique_ptr<CodeRunner> run_;
};

TEST_F(EscapeTest, SeesNoFileOfTheHost) {
  for (const char* path : {"/etc/passwd", "/etc/shadow", "/etc/hostname", "/root", "/var", "/work", "/sys", "/run",
                           "/dev/sda", "/dev/mem", "/dev/tty"}) {
    EXPECT_THAT(refused("import os\nos.stat('" + std::string(path) + "')"), HasSubstr("FileNotFoundError")) << path;
  }
  EXPECT_EQ(value("sorted(set(os.listdir('/')) - {'bin', 'lib', 'lib32', 'lib64'})"), "['dev', 'home', 'tmp', 'usr']");
  EXPECT_EQ(value("sorted(os.listdir('/dev'))"), "['null', 'urandom', 'zero']");
  EXPECT_EQ(value("os.listdir('/usr/local')"), "[]");
  EXPECT_EQ(value("os.listdir('/home')"), "['agent']");
}

TEST_F(EscapeTest, SeesNoFileOfTheServer) {
  char name[] = "/tmp/braidlog-secret-XXXXXX";
  const int file = ::mkstemp(name);
  ASSERT_GE(file, 0);
  ::close(file);
  EXPECT_THAT(refused("open('" + std::string(name) + "')"), HasSubstr("FileNotFoundError"));
  EXPECT_THAT(refused("open('" BRAIDLOG_SOURCE_DIR "/CMakeLists.txt')"), HasSubstr("FileNotFoundError"));
  ::unlink(name);
}

TEST_F(EscapeTest, LinksLeadNowhere) {
  EXPECT_THAT(refused("import os\nos.symlink('/etc/passwd', 'l')\nopen('l').read()"), HasSubstr("FileNotFoundError"));
  EXPECT_THAT(refused("os.symlink('/proc/1/root', 'r')\nos.listdir('r')"), HasSubstr("FileNotFoundError"));
  EXPECT_THAT(refused("open('../../../../../etc/passwd')"), HasSubstr("FileNotFoundError"));
  EXPECT_THAT(refused("os.link('/usr/bin/env', 'env')"), HasSubstr("OSError"));
}

TEST_F(EscapeTest, WritesNowhereButAtHome) {
  for (const char* path : {"/x", "/usr/bin/x", "/usr/local/x", "/dev/x", "/home/x", "/usr/lib/python3/x"}) {
    EXPECT_THAT(refused("open('" + std::string(path) + "', 'w')"), HasSubstr("only the home folder can be written"))
        << path;
  }
  EXPECT_THAT(refused("import os\nos.chmod('/usr/bin/env', 0o777)"), HasSubstr("OSError"));
}

TEST_F(EscapeTest, HasNoProc) {
  for (const std::string& path : {std::string("/proc"), std::string("/proc/self"), std::string("/proc/1/environ"),
                                  "/proc/" + std::to_string(::getpid()) + "/environ"}) {
    EXPECT_THAT(refused("import os\nos.stat('" + path + "')"), HasSubstr("FileNotFoundError")) << path;
  }
  EXPECT_THAT(refused("import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n"
                      "if l.mount(b'proc', b'/tmp', b'proc', 0, None): raise OSError(ctypes.get_errno(), 'mount')"),
              HasSubstr("PermissionError"));
}

TEST_F(EscapeTest, SeesNothingOfTheEnvironment) {
  ::setenv("BRAIDLOG_TEST_KEY", "sk-secret", 1);
  const auto run = open();
  const auto outcome = run->run("import os\nsorted(os.environ.items())");
  EXPECT_THAT(*outcome.value, Not(HasSubstr("sk-secret")));
  EXPECT_EQ(run->run("sorted(set(os.environ) - {'LC_CTYPE', 'PWD'})").value, "['HOME', 'LANG', 'PATH']");
  ::unsetenv("BRAIDLOG_TEST_KEY");
}

TEST_F(EscapeTest, IsAUserWithoutRights) {
  EXPECT_EQ(value("import os\n(os.getuid(), os.geteuid(), os.getgid(), os.getpid())"), "(1000, 1000, 1000, 1)");
  EXPECT_THAT(refused("os.setuid(0)"), HasSubstr("PermissionError"));
  EXPECT_THAT(refused("os.setgid(0)"), HasSubstr("PermissionError"));
  EXPECT_THAT(refused("os.chroot('/usr')"), HasSubstr("PermissionError"));
  EXPECT_EQ(value("os.uname().nodename"), "'sandbox'");
}

TEST_F(EscapeTest, HasNoNetwork) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));

  EXPECT_THAT(refused("import socket\nsocket.create_connection(('127.0.0.1', " + port + "))"),
              HasSubstr("network access is not allowed"));
  EXPECT_THAT(refused("import urllib.request\nurllib.request.urlopen('http://127.0.0.1:" + port + "/')"),
              HasSubstr("network access is not allowed"));
  EXPECT_THAT(refused("socket.getaddrinfo('localhost', 80)"), HasSubstr("network access is not allowed"));
  EXPECT_THAT(refused("socket.socket(socket.AF_UNIX).connect('/run/x')"), HasSubstr("sandbox"));
  EXPECT_THAT(refused("socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)"), HasSubstr("network access is not allowed"));
  // Past Python's own words: the kernel refuses it too.
  for (const char* family : {"1", "2", "10", "16", "17", "38", "40"}) {
    EXPECT_EQ(value("import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n(l.socket(" + std::string(family) +
                    ", 1, 0), ctypes.get_errno())"),
              "(-1, 1)");
  }
  ::close(listener);
}

TEST_F(EscapeTest, StartsNoProcess) {
  EXPECT_THAT(refused("import os\nwhile True: os.fork()"), HasSubstr("processes are not allowed"));
  EXPECT_THAT(refused("import subprocess\nsubprocess.run(['/usr/bin/env'])"), HasSubstr("processes are not allowed"));
  EXPECT_THAT(refused("os.system('env')"), HasSubstr("processes are not allowed"));
  EXPECT_THAT(refused("os.execv('/usr/bin/env', ['env'])"), HasSubstr("processes are not allowed"));
  EXPECT_THAT(refused("os.posix_spawn('/usr/bin/env', ['env'], {})"), HasSubstr("processes are not allowed"));
  EXPECT_THAT(refused("import multiprocessing\nmultiprocessing.Process(target=print).start()"),
              HasSubstr("processes are not allowed"));
  // Past Python's own words.
  const std::string libc = "import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n";
  EXPECT_EQ(value(libc + "(l.fork(), ctypes.get_errno())"), "(-1, 1)");
  EXPECT_EQ(value(libc + "(l.syscall(57), l.syscall(58), ctypes.get_errno())"), "(-1, -1, 1)");
  EXPECT_EQ(value(libc + "(l.execv(b'/usr/bin/env', (ctypes.c_char_p * 2)(b'env', None)), ctypes.get_errno())"),
            "(-1, 1)");
}

TEST_F(EscapeTest, ThreadsAreCounted) {
  const std::string error = refused(
      "import threading\nstop = threading.Event()\nstarted = []\ntry:\n    while True:\n"
      "        t = threading.Thread(target=stop.wait); t.start(); started.append(t)\nfinally:\n    stop.set()\n"
      "    [t.join() for t in started]");
  EXPECT_THAT(error, HasSubstr("limit of 16 threads"));
  EXPECT_EQ(value("len(started)"), "16");
}

TEST_F(EscapeTest, SignalsReachNobody) {
  EXPECT_THAT(refused("import os, signal\nos.kill(os.getppid(), 9)"),
              HasSubstr("signals to processes are not allowed"));
  EXPECT_THAT(refused("os.kill(-1, 9)"), HasSubstr("signals to processes are not allowed"));
  EXPECT_THAT(refused("os.kill(" + std::to_string(::getpid()) + ", 9)"), HasSubstr("signals"));
  EXPECT_EQ(value("os.getppid()"), "0");
  const std::string libc = "import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n";
  const std::string server = std::to_string(::getpid());
  EXPECT_EQ(value(libc + "(l.kill(-1, 9), ctypes.get_errno())"), "(-1, 1)");
  EXPECT_EQ(value(libc + "(l.syscall(234, " + server + ", " + server + ", 9), ctypes.get_errno())"),
            "(-1, 3)");  // tgkill: nobody there
}

TEST_F(EscapeTest, SystemCallsThatNobodyNeeds) {
  struct Call {
    const char* name;
    int number;  // x86-64
  };
#if defined(__x86_64__)
  for (const Call& call : {Call{"ptrace", 101},
                           {"mount", 165},
                           {"umount2", 166},
                           {"pivot_root", 155},
                           {"unshare", 272},
                           {"setns", 308},
                           {"process_vm_readv", 310},
                           {"process_vm_writev", 311},
                           {"bpf", 321},
                           {"userfaultfd", 323},
                           {"io_uring_setup", 425},
                           {"io_uring_enter", 426},
                           {"keyctl", 250},
                           {"add_key", 248},
                           {"request_key", 249},
                           {"perf_event_open", 298},
                           {"seccomp", 317},
                           {"prctl", 157},
                           {"pidfd_open", 434},
                           {"pidfd_getfd", 438},
                           {"pidfd_send_signal", 424},
                           {"open_by_handle_at", 304},
                           {"name_to_handle_at", 303},
                           {"memfd_create", 319},
                           {"memfd_secret", 447},
                           {"init_module", 175},
                           {"kexec_load", 246},
                           {"reboot", 169},
                           {"swapon", 167},
                           {"personality", 135},
                           {"fanotify_init", 300},
                           {"inotify_init1", 294},
                           {"shmget", 29},
                           {"msgget", 68},
                           {"semget", 64},
                           {"mq_open", 240},
                           {"clone_fork", 56},
                           {"vfork", 58},
                           {"execveat", 322},
                           {"setsid", 112},
                           {"sched_setscheduler", 144},
                           {"setpriority", 141},
                           {"move_mount", 429},
                           {"fsopen", 430},
                           {"open_tree", 428},
                           {"mount_setattr", 442},
                           {"landlock_create_ruleset", 444},
                           {"quotactl", 179},
                           {"mlock", 149},
                           {"vmsplice", 278},
                           {"splice", 275},
                           {"sendmsg", 46},
                           {"recvmsg", 47},
                           {"socket", 41},
                           {"bind", 49},
                           {"connect", 42},
                           {"accept", 43},
                           {"not yet there", 9999}}) {
    EXPECT_EQ(value("import ctypes\nl = ctypes.CDLL(None, use_errno=True)\n(l.syscall(" + std::to_string(call.number) +
                    ", 0, 0, 0, 0, 0), ctypes.get_errno())"),
              "(-1, 1)")
        << call.name;
  }
#endif
}

TEST_F(EscapeTest, LocksThatInheritPrioritiesAreRefused) {
#if defined(__x86_64__)
  EXPECT_EQ(value("import ctypes\nl = ctypes.CDLL(None, use_errno=True)\nn = ctypes.c_int(0)\n"
                  "[(l.syscall(202, ctypes.byref(n), op, 0, None, None, 0), ctypes.get_errno()) for op in (6, 7, 8, "
                  "11, 12, 13)]"),
            "[(-1, 1), (-1, 1), (-1, 1), (-1, 1), (-1, 1), (-1, 1)]");
#endif
}

TEST_F(EscapeTest, CallsOfAnotherArchitectureEndTheProcess) {
  // getpid with the bit of x32: those numbers are not in any list.
  const auto outcome = run_->run("import ctypes\nctypes.CDLL(None).syscall(0x40000000 | 39)");
  EXPECT_TRUE(outcome.lost);
  EXPECT_TRUE(outcome.error);
  EXPECT_EQ(run_->run("1").value, "1");
}

TEST_F(EscapeTest, HasNoDescriptorOfTheServer) {
  char name[] = "/tmp/braidlog-open-XXXXXX";
  const int file = ::mkstemp(name);  // without close-on-exec, as a library might open one
  ASSERT_GE(file, 0);
  const auto run = open();
  const auto outcome = run->run(
      "import os\nfound = []\nfor fd in range(1024):\n    try: os.fstat(fd)\n    except OSError: continue\n"
      "    found.append(fd)\nfound");
  EXPECT_EQ(outcome.value, "[0, 1, 2, 3, 4]");
  ::close(file);
  ::unlink(name);
}

TEST_F(EscapeTest, NonsenseToTheServerEndsTheProcess) {
  for (const char* bytes : {"b'\\xff\\xff\\xff\\xff'", "b'\\x02\\0\\0\\0{}'", "b'\\x04\\0\\0\\0null'",
                            "b'\\x03\\0\\0\\0{{{'", "b'\\x0e\\0\\0\\0{\"op\":\"ready\"}'"}) {
    const auto outcome = run_->run("import os, time\nos.write(4, " + std::string(bytes) + ")\ntime.sleep(5)");
    EXPECT_TRUE(outcome.lost) << bytes;
    EXPECT_THAT(outcome.error.value_or(""), HasSubstr("broke the line to the server")) << bytes;
    EXPECT_EQ(run_->run("1 + 1").value, "2") << bytes;
  }
  const auto closed = run_->run("import os\nos.close(4)\nimport time\ntime.sleep(5)");
  EXPECT_TRUE(closed.lost);
}

TEST_F(EscapeTest, ForgedMessagesAreOnlyWhatCodeMayDoAnyhow) {
  const auto run = open({CodeFunction{"note", "", R"({"type":"object","properties":{"text":{}}})"}});
  run->answer = [](const std::string&, const json::object&) { return CodeAnswer{"ok"}; };
  // A call that the runner never saw is a call like any other: it comes out, and the server decides about it.
  const std::string send =
      "import json, os\ndef send(m):\n    d = json.dumps(m).encode()\n    os.write(4, len(d).to_bytes(4, 'little') + "
      "d)\n";
  auto outcome = run->run(send + "send({'op': 'call', 'name': 'note', 'args': {'text': 'forged'}})\nos.read(3, 1000)");
  EXPECT_EQ(outcome.error, std::nullopt);
  ASSERT_EQ(run->calls.size(), 1u);
  // One to a function that it was not given: the end.
  outcome = run->run("send({'op': 'call', 'name': 'file_write', 'args': {}})\nos.read(3, 1000)");
  EXPECT_TRUE(outcome.lost);
  EXPECT_EQ(run->calls.size(), 1u);
  // An early end is an end; what the code does then, nobody hears.
  run->run(send);
  outcome = run->run("send({'op': 'done', 'value': 'x' * 1_000_000})\nwhile True: pass");
  EXPECT_LE(outcome.value.value_or("").size(), limits.code_output_bytes_max + 64);
  EXPECT_FALSE(outcome.lost);
}

TEST_F(EscapeTest, ARunnerThatWasChangedHarmsOnlyItself) {
  const auto outcome = run_->run(
      "import sys, os, signal\nfor m in list(sys.modules):\n    if m.startswith('runner'):\n"
      "        sys.modules[m].__dict__.clear()\nos.write = os.read = None\nsys.stdout = None");
  (void)outcome;
  (void)run_->run("1");
  const auto next = open();
  EXPECT_EQ(next->run("6 * 7").value, "42");
}

}  // namespace
}  // namespace braidlog::sandbox
