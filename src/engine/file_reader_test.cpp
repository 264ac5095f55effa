#include "engine/file_reader.h"

#include <gtest/gtest.h>

#include <map>

#include "base/testing/fake_loop.h"

namespace braidlog {
namespace {

class OneFile final : public Workspace {
 public:
  Result<api::FileContent> read(SessionId, std::string_view path, std::size_t) override {
    ++reads;
    if (path == "gone.png") return fail(ErrorCode::kFileNotFound, "gone");
    api::FileContent file;
    file.content = std::string(path);
    return file;
  }
  Result<api::FileInfo> write(SessionId, std::string_view, std::string_view) override { return fail(no()); }
  Status rename(SessionId, std::string_view, std::string_view) override { return fail(no()); }
  Status remove(SessionId, std::string_view) override { return fail(no()); }
  Result<api::FileList> list(SessionId) override { return fail(no()); }
  Status remove_all(SessionId) override { return fail(no()); }
  static Error no() { return {ErrorCode::kStorage, "", {}}; }

  int reads = 0;
};

struct AtOnce final : WorkerPool {
  void run(Task task) override { task(); }
};

// Keeps each file until the test gives its text.
class HeldExtractor final : public TextExtractor {
 public:
  bool reads(std::string_view) const override { return true; }
  std::unique_ptr<Extraction> start(ExtractionJob job, Loop&,
                                    UniqueFunction<void(Result<ExtractedText>)> done) override {
    open[job.content] = std::move(done);
    return std::make_unique<Handle>(*this, job.content);
  }
  std::map<std::string, UniqueFunction<void(Result<ExtractedText>)>> open;

 private:
  struct Handle final : Extraction {
    Handle(HeldExtractor& o, std::string n) : owner(o), name(std::move(n)) {}
    ~Handle() override { owner.open.erase(name); }
    HeldExtractor& owner;
    std::string name;
  };
};

class FileReaderTest : public ::testing::Test {
 protected:
  FileReaderTest() { limits_.extractions_max = 2; }
  void read(const std::string& name) {
    readings_[name] = reader_.read({}, {name, "image/png", 1, ""}, std::chrono::seconds(1), loop_,
                                   [this, name](Result<ExtractedText> found) {
                                     texts_[name] = found ? found->text : "error: " + found.error().message;
                                   });
    loop_.run_ready();
  }
  void finish(const std::string& name) {
    auto done = std::move(extractor_.open.at(name));
    done(ExtractedText{"text of " + name, {}, {}});
    loop_.run_ready();
  }

  testing::FakeClock clock_;
  testing::FakeLoop loop_{clock_};
  OneFile workspace_;
  AtOnce pool_;
  HeldExtractor extractor_;
  Limits limits_;
  FileReader reader_{workspace_, pool_, extractor_, limits_};
  std::map<std::string, std::unique_ptr<FileReading>> readings_;
  std::map<std::string, std::string> texts_;
};

TEST_F(FileReaderTest, AFileThatWaitsIsNotInMemory) {
  for (const char* name : {"1.png", "2.png", "3.png", "4.png"}) read(name);
  EXPECT_EQ(workspace_.reads, 2);
  finish("2.png");
  EXPECT_EQ(texts_["2.png"], "text of 2.png");
  EXPECT_EQ(workspace_.reads, 3);
  EXPECT_TRUE(extractor_.open.contains("3.png")) << "the next in the order";
  finish("1.png");
  finish("3.png");
  finish("4.png");
  EXPECT_EQ(texts_.size(), 4u);
}

TEST_F(FileReaderTest, WhoLeavesGivesHisPlaceAway) {
  for (const char* name : {"1.png", "2.png", "3.png", "4.png"}) read(name);
  readings_.erase("3.png");  // out of the line
  readings_.erase("1.png");  // in the middle of its reading
  loop_.run_ready();
  EXPECT_FALSE(extractor_.open.contains("1.png"));
  EXPECT_TRUE(extractor_.open.contains("4.png"));
  EXPECT_FALSE(texts_.contains("3.png"));
  finish("2.png");
  finish("4.png");
  read("5.png");
  EXPECT_TRUE(extractor_.open.contains("5.png"));
}

TEST_F(FileReaderTest, AFileThatIsGoneIsAnErrorAndHoldsNoPlace) {
  for (int i = 0; i < 3; ++i) read("gone.png");
  EXPECT_EQ(texts_["gone.png"], "error: gone");
  read("1.png");
  EXPECT_TRUE(extractor_.open.contains("1.png"));
}

}  // namespace
}  // namespace braidlog
