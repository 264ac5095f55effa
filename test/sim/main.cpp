// sim SEED               tells the history of one seed, step by step, and the verdict
// sim --seeds FROM..TO   runs many and tells the broken ones; --seeds N is 1..N
// sim --file FILE        the seeds of a file, one per line; what follows a # is a remark
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "base/log.h"
#include "simulation.h"

namespace braidlog::sim {
namespace {

// Which seed runs when a CHECK of the server, or a fault, stops the process: told from the signal handler.
char running_seed[64];

void tell_seed(int signal) {
  std::signal(signal, SIG_DFL);
  constexpr char kText[] = "the server stopped itself; repeat it with: ./dev sim ";
  (void)!write(STDOUT_FILENO, kText, sizeof kText - 1);
  (void)!write(STDOUT_FILENO, running_seed, std::strlen(running_seed));
}

Outcome simulate(std::uint64_t seed, bool traced) {
  std::snprintf(running_seed, sizeof running_seed, "%llu\n", static_cast<unsigned long long>(seed));
  return Simulation(seed, traced).run();
}

int tell_one(std::uint64_t seed) {
  const Outcome outcome = simulate(seed, true);
  std::printf("%s\n", outcome.violation ? ("BROKEN: " + *outcome.violation).c_str() : "every promise held");
  return outcome.violation ? 1 : 0;
}

int run_many(const std::vector<std::uint64_t>& seeds) {
  Counts all;
  int broken = 0;
  for (const std::uint64_t seed : seeds) {
    const Outcome outcome = simulate(seed, false);
    all += outcome.counts;
    if (!outcome.violation) continue;
    ++broken;
    std::printf("seed %llu: %s\n  repeat it with: ./dev sim %llu\n", static_cast<unsigned long long>(seed),
                outcome.violation->c_str(), static_cast<unsigned long long>(seed));
    std::fflush(stdout);
  }
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf(
      "%zu seeds, %d broken (%llu steps, %llu runs, %llu events, %llu crashes, %llu takeovers, %llu runs resumed, "
      "%llu unknown outcomes, %llu turns waited, %llu dropped, %llu left by their clients; %llu steps, %llu codes with "
      "%llu calls, %llu lost, %llu executions with %llu tasks done, %llu failed, %llu put back)\n",
      seeds.size(), broken, number(all.steps), number(all.runs), number(all.events), number(all.crashes),
      number(all.takeovers), number(all.resumed), number(all.unknown_outcomes), number(all.waited), number(all.dropped),
      number(all.left), number(all.steps_made), number(all.codes), number(all.code_calls), number(all.codes_lost),
      number(all.executions), number(all.tasks_done), number(all.tasks_failed), number(all.tasks_put_back));
  return broken == 0 ? 0 : 1;
}

std::vector<std::uint64_t> seed_range(const std::string& text) {
  const auto dots = text.find("..");
  const bool is_range = dots != std::string::npos;
  const std::uint64_t from = is_range ? std::strtoull(text.c_str(), nullptr, 10) : 1;
  const std::uint64_t to = std::strtoull(text.c_str() + (is_range ? dots + 2 : 0), nullptr, 10);
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = from; seed <= to; ++seed) seeds.push_back(seed);
  return seeds;
}

std::vector<std::uint64_t> seeds_of_file(const char* path) {
  std::vector<std::uint64_t> seeds;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') seeds.push_back(std::strtoull(line.c_str(), nullptr, 10));
  }
  return seeds;
}

}  // namespace
}  // namespace braidlog::sim

int main(int count, char** arguments) {
  using namespace braidlog::sim;
  braidlog::set_log_level(braidlog::LogLevel::kError);
  for (const int signal : {SIGABRT, SIGSEGV}) std::signal(signal, tell_seed);
  if (count == 3 && std::strcmp(arguments[1], "--seeds") == 0) return run_many(seed_range(arguments[2]));
  if (count == 3 && std::strcmp(arguments[1], "--file") == 0) return run_many(seeds_of_file(arguments[2]));
  if (count == 2 && arguments[1][0] != '-') return tell_one(std::strtoull(arguments[1], nullptr, 10));
  std::fprintf(stderr, "usage: sim SEED | sim --seeds N | sim --seeds FROM..TO | sim --file FILE\n");
  return 2;
}
