// A question as Python that answers it: what the offline model writes for an agent whose actions are code. The code
// really runs in the sandbox; nothing here knows a result.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provider/offline/situation.h"

namespace braidlog::provider {

// A part of the work that can be an action of its own.
struct CodeStep {
  std::string say;    // "I make the list of numbers."
  std::string code;   // lines of Python, without a line break at the end
  std::string shows;  // the expression whose value it prints; empty: the code prints by itself
};

struct Computation {
  std::string what;             // "the sum of the first 100 squares"
  std::vector<CodeStep> steps;  // in their order; the last one sets `result`
  std::string again;            // an expression for the same value on its own, to check it; empty: there is none
  std::string lead, tail;       // the answer is lead + value + tail
  bool quotes = false;          // the answer is lead + all that was printed, as a quotation
  bool is_given = false;        // the user's own code: it is run as it is, and never corrected
  std::string fallback{};       // code to try when a function of the first failed; empty: none
};

// What the ask wants computed, if it is one of the things that are known. A turn that is no action is not told which
// functions there are: it takes those for given that agents have as a rule.
std::optional<Computation> computation_in(const Situation& situation);

// The kinds, each in the file of its name. `lower` is the ask in lower case, without what it says about the manner.
std::optional<Computation> number_computation(const std::string& lower);    // number_computations.cpp
std::optional<Computation> text_computation(const std::string& ask);        // text_computations.cpp: words and dates
std::optional<Computation> expression_computation(const std::string& ask);  // expression_computation.cpp

// The code in one block, as one action.
std::string whole_program(const Computation& computation);

// A text or a list of them as Python writes it.
std::string python_string(std::string_view text);

}  // namespace braidlog::provider
