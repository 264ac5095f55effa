#include "port/testing/memory_identity_store.h"

#include "port/testing/identity_store_contract.h"

namespace braidlog::testing {
namespace {

class MemoryPlaceOfUsers final : public IdentityPlace {
 public:
  static std::unique_ptr<IdentityPlace> make() { return std::make_unique<MemoryPlaceOfUsers>(); }
  std::unique_ptr<IdentityStore> open() override { return std::make_unique<MemoryIdentityStore>(records_); }

 private:
  IdentityRecords records_;
};

INSTANTIATE_TEST_SUITE_P(Memory, IdentityStoreContract, ::testing::Values(&MemoryPlaceOfUsers::make));

}  // namespace
}  // namespace braidlog::testing
