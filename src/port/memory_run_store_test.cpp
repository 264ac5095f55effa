// The store in memory keeps the contract of every store: what is tested or simulated on it holds on a real one.
#include "port/testing/memory_run_store.h"

#include "port/testing/run_store_contract.h"

namespace braidlog::testing {
namespace {

class MemoryPlace final : public StorePlace {
 public:
  static std::unique_ptr<StorePlace> make() { return std::make_unique<MemoryPlace>(); }
  Result<std::unique_ptr<RunStore>> open() override {
    return std::unique_ptr<RunStore>(std::make_unique<MemoryRunStore>(tables_));
  }

 private:
  MemoryTables tables_;
};

INSTANTIATE_TEST_SUITE_P(Memory, RunStoreContract, ::testing::Values(&MemoryPlace::make));
INSTANTIATE_TEST_SUITE_P(Memory, RunSearchContract, ::testing::Values(&MemoryPlace::make));

}  // namespace
}  // namespace braidlog::testing
