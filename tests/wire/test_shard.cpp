// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/temporaryfolder.h"
#include "trainer/wire/shard.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <limits>
#include <sstream>

namespace coxswain::wire {
namespace {

using tests::TemporaryFolder;
namespace fs = std::filesystem;

std::string readAll(const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
}

TEST(Lanes, areDealtOutOnceAndEvenly) {
    for (int lanes = 1; lanes <= 13; ++lanes) {
        for (int world = 1; world <= lanes; ++world) {
            int next = 0;
            for (int rank = 0; rank < world; ++rank) {
                const auto range = lanesOfRank(rank, world, lanes);
                EXPECT_EQ(range.first, next);
                EXPECT_GE(range.count, lanes / world);
                EXPECT_LE(range.count, (lanes + world - 1) / world);
                next += range.count;
            }
            EXPECT_EQ(next, lanes) << world << " ranks";
        }
    }
}

TEST(Documents, areLinesThatAreNotBlank) {
    const TemporaryFolder folder;
    const auto file = folder.write("text", "\xEF\xBB\xBFone\n\n  \t\ntwo\r\nthree\r\r\n\r\nfour");
    const auto documents = Documents::fromText(file, 2);
    ASSERT_TRUE(documents) << documents.error().text();
    EXPECT_EQ(documents->laneCount(), 2);
    EXPECT_EQ(documents->documentCount(), 4);
    EXPECT_EQ(documents->documents(0), (std::vector<std::string_view>{"one", "three"}));
    EXPECT_EQ(documents->documents(1), (std::vector<std::string_view>{"two", "four"}));
    EXPECT_TRUE(documents->documents(2).empty());
    EXPECT_TRUE(documents->documents(-1).empty());
}

TEST(Documents, needText) {
    const TemporaryFolder folder;
    for (const auto& file : {folder.write("empty", ""), folder.write("blank", "\n \n\r\n"),
                             folder.path() / "missing", folder.path()}) {
        const auto documents = Documents::fromText(file, 1);
        ASSERT_FALSE(documents) << file;
        EXPECT_NE(documents.error().text().find(file.string()), std::string::npos)
            << documents.error().text();
    }
}

class ShardFile : public testing::Test {
protected:
    ShardFile() {
        std::string text;
        for (int i = 0; i < 23; ++i)
            text +=
                "document " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 5), 'x') + "\r\n";
        m_documents = *Documents::fromText(m_folder.write("source.txt", text), 7);
    }
    fs::path shard(int rank, int world) {
        const auto file = m_folder.path() / ("shard-" + std::to_string(rank));
        const auto header = writeShard(m_documents, "source.txt", rank, world, file);
        EXPECT_TRUE(header) << header.error().text();
        return file;
    }
    TemporaryFolder m_folder;
    Documents m_documents;
};

TEST_F(ShardFile, unionOfAllShardsIsTheSource) {
    for (const int world : {1, 2, 3, 7}) {
        std::vector<int> seen;
        for (int rank = 0; rank < world; ++rank) {
            const auto read = Documents::fromShard(shard(rank, world));
            ASSERT_TRUE(read) << read.error().text();
            const auto range = lanesOfRank(rank, world, 7);
            EXPECT_EQ(read->laneCount(), 7);
            for (const int lane : read->lanes()) {
                EXPECT_GE(lane, range.first);
                EXPECT_LT(lane, range.first + range.count);
                EXPECT_EQ(read->documents(lane), m_documents.documents(lane));
                seen.push_back(lane);
            }
        }
        EXPECT_EQ(seen, m_documents.lanes()) << world << " ranks";
    }
}

TEST_F(ShardFile, headerComesBackAndTheFileIsPrivate) {
    const auto file = m_folder.path() / "shard-1";
    const auto header = writeShard(m_documents, "source.txt", 1, 3, file);
    ASSERT_TRUE(header);
    const auto text = readAll(file);
    const auto read = parseShardHeader(text.substr(0, text.find('\n')));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, *header);
    EXPECT_EQ(read->index, 1);
    EXPECT_EQ(read->count, 3);
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600u);
    EXPECT_FALSE(fs::exists(file.string() + ".partial"));
}

TEST_F(ShardFile, everyFlippedByteIsSeen) {
    const auto whole = readAll(shard(0, 3));
    const auto payload = whole.find('\n') + 1;
    for (std::size_t at = payload; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        const auto read = Documents::fromShard(m_folder.write("damaged", damaged));
        ASSERT_FALSE(read) << at;
        EXPECT_EQ(read.error().field, "payload_sha256");
    }
}

TEST_F(ShardFile, everyCutIsSeen) {
    const auto whole = readAll(shard(0, 3));
    for (std::size_t length = 0; length < whole.size(); ++length)
        EXPECT_FALSE(Documents::fromShard(m_folder.write("cut", whole.substr(0, length)))) << length;
    EXPECT_FALSE(Documents::fromShard(m_folder.write("longer", whole + "x")));
}

TEST_F(ShardFile, damagedHeadersAreErrors) {
    const auto whole = readAll(shard(0, 3));
    const auto line = whole.find('\n');
    const auto header = nlohmann::json::parse(whole.substr(0, line));
    const auto with = [&](const char* pointer, nlohmann::json value) {
        auto changed = header;
        changed[nlohmann::json::json_pointer(pointer)] = std::move(value);
        return changed.dump();
    };
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    for (const auto& text :
         {with("/format", "coxswain.shard/2.0"), with("/format", 3), with("/index", 3), with("/index", -1),
          with("/count", 0), with("/lane_count", 2), with("/lane_count", 2'000'000'000),
          with("/sections/0/lane", 5), with("/sections/0/lane", -1), with("/sections/0/documents", huge),
          with("/sections/0/bytes", huge), with("/sections/0/bytes", -1), with("/sections/1/bytes", huge),
          with("/payload_bytes", -1), with("/payload_sha256", "00"), with("/source", 1), std::string("{}"),
          std::string("[]")})
        EXPECT_FALSE(Documents::fromShard(m_folder.write("damaged", text + whole.substr(line)))) << text;
    // What the checksum cannot see: sections that cut the same payload elsewhere.
    auto shifted = header;
    shifted["sections"][0]["documents"] = shifted["sections"][0]["documents"].get<int>() + 1;
    EXPECT_FALSE(Documents::fromShard(m_folder.write("shifted", shifted.dump() + whole.substr(line))));
    // A newer minor may say more.
    auto newer = header;
    newer["format"] = "coxswain.shard/1.9";
    newer["more"] = true;
    EXPECT_TRUE(Documents::fromShard(m_folder.write("newer", newer.dump() + whole.substr(line))));
}

TEST_F(ShardFile, aPlaceThatCannotBeWrittenIsAnError) {
    const auto header = writeShard(m_documents, "source.txt", 0, 1, m_folder.path() / "missing" / "shard");
    ASSERT_FALSE(header);
    EXPECT_NE(header.error().text().find("missing"), std::string::npos);
    // A limit on file sizes stands in for a full disk.
    struct rlimit usual {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &usual), 0);
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small { 64, usual.rlim_max };
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto full = writeShard(m_documents, "source.txt", 0, 1, m_folder.path() / "shard");
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &usual), 0);
    EXPECT_FALSE(full);
    EXPECT_FALSE(fs::exists(m_folder.path() / "shard"));
    EXPECT_FALSE(fs::exists(m_folder.path() / "shard.partial"));
}

} // namespace
} // namespace coxswain::wire
