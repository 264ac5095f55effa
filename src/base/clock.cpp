#include "base/clock.h"

#include <chrono>
#include <ctime>

namespace braidlog {

namespace {

void append_digits(std::string& out, int value, int width) {
  char digits[8];
  for (int i = width - 1; i >= 0; --i) {
    digits[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  out.append(digits, static_cast<std::size_t>(width));
}

}  // namespace

WallTime SystemClock::wall() const {
  using namespace std::chrono;
  return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
}

MonoTime SystemClock::mono() const {
  using namespace std::chrono;
  return {duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count()};
}

void append_iso8601(std::string& out, WallTime time) {
  using namespace std::chrono;
  const sys_time<milliseconds> point{milliseconds{time.ms}};
  const auto day = floor<days>(point);
  const year_month_day date{day};
  const hh_mm_ss clock{point - day};
  append_digits(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.month())), 2);
  out += '-';
  append_digits(out, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  out += 'T';
  append_digits(out, static_cast<int>(clock.hours().count()), 2);
  out += ':';
  append_digits(out, static_cast<int>(clock.minutes().count()), 2);
  out += ':';
  append_digits(out, static_cast<int>(clock.seconds().count()), 2);
  out += '.';
  append_digits(out, static_cast<int>(clock.subseconds().count()), 3);
  out += 'Z';
}

std::string to_iso8601(WallTime time) {
  std::string out;
  append_iso8601(out, time);
  return out;
}

}  // namespace braidlog
