#include <gtest/gtest.h>

#include <fstream>

#include "agent/catalog.h"
#include "agent/folder_watch.h"
#include "agent/testing/catalog_fixture.h"

namespace braidlog::agent {
namespace {

namespace fs = std::filesystem;

class ReloadTest : public testing::CatalogFixture {
 protected:
  void begin() { ASSERT_TRUE(catalog_.load(folder_)); }
  // What a reload did: "+a -b !c.yaml(c)" for a loaded, b removed, c.yaml at fault and agent c kept.
  std::string reload() {
    const auto done = catalog_.reload(folder_);
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
    for (const auto& agent : done.loaded) add("+" + agent->agent.name);
    for (const auto& name : done.removed) add("-" + name);
    for (const auto& fault : done.faults) add("!" + fault.file + "(" + fault.kept + ")");
    lines_.clear();
    for (const auto& fault : done.faults) {
      for (const auto& line : fault.lines) lines_ += line + "\n";
    }
    return text;
  }
  std::string description(const std::string& name) {
    const auto agent = catalog_.find(name);
    return agent ? agent->agent.description : "none";
  }

  std::string lines_;
};

TEST_F(ReloadTest, OnlyWhatChangedIsMadeAnew) {
  put("docs/a.md", "text");
  put("a.yaml", "name: a\ntools: [{knowledge: {folder: docs}}]");
  put("b.yaml", "name: b\ndescription: old");
  begin();
  EXPECT_EQ(reload(), "");
  const auto a = catalog_.find("a");
  const auto writer = catalog_.find("writer");
  put("b.yaml", "name: b\ndescription: new");
  put("c.yaml", "name: c");
  EXPECT_EQ(reload(), "+b +c");
  EXPECT_EQ(description("b"), "new");
  EXPECT_EQ(catalog_.find("a"), a);
  EXPECT_EQ(catalog_.find("writer"), writer);
  EXPECT_EQ(indexed_.size(), 1u);
  put("docs/b.md", "more");
  EXPECT_EQ(reload(), "+a");
  EXPECT_EQ(indexed_.size(), 2u);
}

TEST_F(ReloadTest, ABrokenFileKeepsTheLastGoodVersion) {
  put("a.yaml", "name: a\ndescription: good");
  put("b.yaml", "name: b\ndescription: old");
  begin();
  const auto a = catalog_.find("a");
  put("a.yaml", "name: a\nfoo: 1\nbar: 2");
  put("b.yaml", "name: b\ndescription: new");
  put("c.yaml", "name: c c");
  EXPECT_EQ(reload(), "+b !a.yaml(a) !c.yaml()");
  EXPECT_EQ(lines_,
            "a.yaml:2:1: unknown key 'foo'\na.yaml:3:1: unknown key 'bar'\n"
            "c.yaml:1:7: 'name' must be 1 to 64 letters, digits or hyphens\n");
  EXPECT_EQ(catalog_.find("a"), a);
  EXPECT_EQ(description("b"), "new") << "the others are not held up";
  put("a.yaml", "name: a\ndescription: fixed");
  remove("c.yaml");
  EXPECT_EQ(reload(), "+a");
  EXPECT_EQ(description("a"), "fixed");
}

TEST_F(ReloadTest, WhatCannotBeMadeIsAFaultOfItsFile) {
  put("a.yaml", "name: a\ndescription: good");
  begin();
  put("a.yaml", "name: a\nmodel: {name: broken}");
  EXPECT_EQ(reload(), "!a.yaml(a)");
  EXPECT_EQ(lines_, "a.yaml:2:8: no such model\n");
  EXPECT_EQ(description("a"), "good");
  put("docs/a.md", "too much");
  put("a.yaml", "name: a\ntools: [{knowledge: {folder: docs}}]");
  EXPECT_EQ(reload(), "!a.yaml(a)");
  EXPECT_EQ(lines_, "agent 'a': no memory\n");
  EXPECT_EQ(description("a"), "good");
}

TEST_F(ReloadTest, AFileThatIsGone) {
  put("a.yaml", "name: a");
  put("w.yaml", "name: writer\ndescription: mine");
  begin();
  const auto kept = catalog_.find("a");
  remove("a.yaml");
  remove("w.yaml");
  EXPECT_EQ(reload(), "+writer -a");
  EXPECT_FALSE(catalog_.find("a"));
  EXPECT_EQ(description("writer"), "Writes and edits the files of its workspace") << "the binary's own is back";
  EXPECT_EQ(kept->agent.name, "a") << "whoever has it keeps it";
}

TEST_F(ReloadTest, ABrokenFileThatIsGoneToo) {
  put("a.yaml", "name: a");
  begin();
  put("a.yaml", "name: [");
  EXPECT_EQ(reload(), "!a.yaml(a)");
  EXPECT_EQ(reload(), "!a.yaml(a)") << "for as long as it is so";
  remove("a.yaml");
  EXPECT_EQ(reload(), "-a");
}

TEST_F(ReloadTest, AnotherFileOrAnotherName) {
  put("a.yaml", "name: a");
  begin();
  const auto a = catalog_.find("a");
  fs::rename(folder_ / "a.yaml", folder_ / "z.yaml");
  EXPECT_EQ(reload(), "") << "the same text in another file is the same agent";
  EXPECT_EQ(catalog_.find("a"), a);
  put("z.yaml", "name: [");
  EXPECT_EQ(reload(), "!z.yaml(a)");
  put("z.yaml", "name: b");
  EXPECT_EQ(reload(), "+b -a");
}

TEST_F(ReloadTest, TwoFilesWithOneName) {
  put("m.yaml", "name: same\ndescription: first");
  begin();
  put("a.yaml", "name: same\ndescription: second");
  EXPECT_EQ(reload(), "!a.yaml()") << "the one that has the name keeps it, whatever the files are called";
  EXPECT_EQ(lines_, "a.yaml:1:1: agent 'same' is already in m.yaml\n");
  EXPECT_EQ(description("same"), "first");
  put("m.yaml", "name: [");
  EXPECT_EQ(reload(), "+same !m.yaml()") << "a good file wins over the memory of a broken one";
  EXPECT_EQ(description("same"), "second");
}

TEST_F(ReloadTest, AFolderThatIsGone) {
  put("a.yaml", "name: a");
  begin();
  const auto before = catalog_.all();
  fs::rename(folder_, folder_.string() + "-away");
  EXPECT_EQ(reload(), "!()");
  EXPECT_EQ(catalog_.all(), before);
  fs::rename(folder_.string() + "-away", folder_);
  EXPECT_EQ(reload(), "");
}

TEST_F(ReloadTest, ACheckChangesNothingAndStartsNothing) {
  put("a.yaml",
      "name: a\ntools: [calculator, {mcp: {name: fs, command: [x]}}, {http: {name: h, description: d, url: "
      "'http://x'}}]");
  put("b.yaml", "name: b\nfoo: 1");
  put("c.yaml", "name: c\nmodel: {name: broken}");
  put("d.yaml", "name: d\ntools: [{http: {name: h, description: odd, url: 'http://x'}}]");
  const auto seen = catalog_.check(folder_);
  EXPECT_EQ(seen.faults,
            "b.yaml:2:1: unknown key 'foo'\nc.yaml:2:8: no such model\nd.yaml:2:16: tool 'h': this is too odd");
  ASSERT_EQ(seen.agents.size(), 7u) << "those in the binary too";
  EXPECT_EQ(seen.agents[0]->agent.name, "a");
  EXPECT_EQ(seen.agents[0]->file, "a.yaml");
  EXPECT_EQ(seen.agents[0]->agent.tools, (std::vector<std::string>{"calculator", "fs__*", "h"}));
  EXPECT_EQ(servers_.count("fs"), 0u);
  EXPECT_TRUE(catalog_.all().empty());
}

class LookTest : public ReloadTest {
 protected:
  std::string look() { return look_at_folder(folder_, catalog_.named_files()); }
  // Whether what `work` does is seen.
  template <class Work>
  bool sees(Work work) {
    const auto before = look();
    EXPECT_EQ(look(), before);
    work();
    return look() != before;
  }
};

TEST_F(LookTest, SeesWhatAgentsAreMadeOf) {
  put("a.yaml", "name: a\ninstructions: {file: text/a.md}\ntools: [{knowledge: {folder: docs}}]");
  put("text/a.md", "one");
  put("docs/more/b.md", "one");
  begin();
  EXPECT_TRUE(
      sees([&] { put("a.yaml", "name: a\ninstructions: {file: text/a.md}\ntools: [{knowledge: {folder: docs}}]\n"); }));
  EXPECT_TRUE(sees([&] { put("b.yml", "name: b"); }));
  EXPECT_TRUE(sees([&] { remove("b.yml"); }));
  EXPECT_TRUE(sees([&] { put("text/a.md", "three"); }));
  EXPECT_TRUE(sees([&] { put("docs/more/b.md", "three"); }));
  EXPECT_TRUE(sees([&] { put("docs/more/c.md", ""); }));
  EXPECT_TRUE(sees([&] { remove("docs/more/c.md"); }));
  EXPECT_TRUE(sees([&] {
    put("new.tmp", "name: a\n");
    fs::last_write_time(folder_ / "new.tmp", fs::last_write_time(folder_ / "a.yaml"));
    fs::rename(folder_ / "new.tmp", folder_ / "a.yaml");
  })) << "as editors do it";
  EXPECT_FALSE(sees([&] { put("other.txt", "x"); }));
  EXPECT_FALSE(sees([&] { put("text/other.md", "x"); }));
}

TEST_F(LookTest, SeesWhatIsNotThereYet) {
  put("a.yaml", "name: a");
  begin();
  put("a.yaml", "name: a\ninstructions: {file: text/a.md}\ntools: [{knowledge: {folder: docs}}]");
  EXPECT_EQ(reload(), "!a.yaml(a)");
  EXPECT_TRUE(sees([&] { put("text/a.md", "one"); }));
  EXPECT_TRUE(sees([&] { put("docs/a.md", "one"); }));
  EXPECT_EQ(reload(), "+a");
  EXPECT_TRUE(sees([&] { fs::rename(folder_, folder_.string() + "-away"); }));
  fs::rename(folder_.string() + "-away", folder_);
}

}  // namespace
}  // namespace braidlog::agent
