// How a command of the binary tells a running server that it has changed users or keys, and learns that the server has
// taken the change up. A small file in the data folder, mapped by both, holds two numbers:
//
//   changed   counts the changes; a command adds one after its commit
//   seen      the server writes what `changed` was before it last read everything
//
// and the server holds a lock on the file while it lives. Why so: a look costs the server no system call, so it can
// look many times a second; nothing has to be cleaned up after a crash of either; there is no socket or port that a
// stranger could knock at; and a key is dead when the command that revokes it returns.
//
// Start and stop cannot slip through. The server takes the lock before it reads `changed`, and reads everything after
// that. A command that finds no lock has committed before, so the server that comes will read its change.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace braidlog::auth {

class ChangeNotice {
 public:
  // Makes the file when it is missing. `folder` exists. kStorage with one line for people.
  static Result<ChangeNotice> open(const std::string& folder);
  ChangeNotice(ChangeNotice&& other) noexcept;
  ChangeNotice& operator=(ChangeNotice&&) = delete;
  ~ChangeNotice();

  // ---- the server; from any thread ----
  // Says that a server lives, until this is destroyed. Waits for the moment that a command may take to look.
  Status serve();
  std::uint64_t changed() const;
  void set_seen(std::uint64_t changed);

  // ---- a command ----
  // Gives the number to wait for.
  std::uint64_t announce();
  bool is_seen(std::uint64_t announced) const;
  // Whether a server lives.
  bool is_served() const;

 private:
  struct Numbers;
  ChangeNotice(int file, Numbers* numbers) : file_(file), numbers_(numbers) {}

  int file_;
  Numbers* numbers_;  // mapped
};

}  // namespace braidlog::auth
