// SPDX-License-Identifier: Apache-2.0
#include "trainer/wire/exitcode.h"
#include "trainer/wire/sha256.h"
#include "trainer/wire/version.h"

#include <gtest/gtest.h>

#include <set>

namespace coxswain::wire {
namespace {

struct VersionRow {
    std::string seen;
    FormatMatch match;
    bool readable;
};

class Version : public testing::TestWithParam<VersionRow> {};

TEST_P(Version, matches) {
    const auto& row = GetParam();
    EXPECT_EQ(matchFormat(row.seen, "coxswain.job/2.3"), row.match);
    EXPECT_EQ(isReadable(matchFormat(row.seen, "coxswain.job/2.3")), row.readable);
}

INSTANTIATE_TEST_SUITE_P(rows, Version,
                         testing::Values(VersionRow{"coxswain.job/2.3", FormatMatch::Same, true},
                                         VersionRow{"coxswain.job/2.0", FormatMatch::OlderMinor, true},
                                         VersionRow{"coxswain.job/2.12", FormatMatch::NewerMinor, true},
                                         VersionRow{"coxswain.job/1.3", FormatMatch::OtherMajor, false},
                                         VersionRow{"coxswain.job/20.3", FormatMatch::OtherMajor, false},
                                         VersionRow{"coxswain.shard/2.3", FormatMatch::OtherFormat, false},
                                         VersionRow{"coxswain.job/2", FormatMatch::OtherFormat, false},
                                         VersionRow{"coxswain.job/2.x", FormatMatch::OtherFormat, false},
                                         VersionRow{"coxswain.job/2.-1", FormatMatch::OtherFormat, false},
                                         VersionRow{"coxswain.job/ 2.3", FormatMatch::OtherFormat, false},
                                         VersionRow{"coxswain.job", FormatMatch::OtherFormat, false},
                                         VersionRow{"a.b/", FormatMatch::OtherFormat, false},
                                         VersionRow{"", FormatMatch::OtherFormat, false}));

TEST(Version, saysWhatToDo) {
    EXPECT_NE(formatMismatch("", jobFormat).find("names none"), std::string::npos);
    const auto text = formatMismatch("coxswain.job/9.0", jobFormat);
    EXPECT_NE(text.find("coxswain.job/9.0"), std::string::npos);
    EXPECT_NE(text.find(jobFormat), std::string::npos);
    EXPECT_NE(text.find("another generation"), std::string::npos);
}

TEST(ExitCode, namesAreTheirOwnAndStatusesComeBack) {
    std::set<std::string_view> names;
    for (int status = 0; status < 256; ++status) {
        const auto code = exitCodeFromStatus(status);
        if (!code)
            continue;
        EXPECT_EQ(static_cast<int>(*code), status);
        EXPECT_TRUE(names.insert(exitCodeName(*code)).second) << exitCodeName(*code);
    }
    EXPECT_EQ(names.size(), 13u);
    EXPECT_EQ(exitCodeFromStatus(137), std::nullopt); // 128 + SIGKILL is not the trainer's own word
    EXPECT_EQ(exitCodeName(ExitCode::Deadline), "deadline");
}

TEST(Sha256, agreesWithTheStandard) {
    // FIPS 180-4's examples.
    EXPECT_EQ(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    Sha256 pieces;
    pieces.update("a");
    pieces.update("");
    pieces.update("bc");
    EXPECT_EQ(pieces.hexDigest(), sha256Hex("abc"));
}

TEST(Sha256, knowsWhatMayBeAFileName) {
    const auto digest = sha256Hex("abc");
    EXPECT_TRUE(isSha256Hex(digest));
    EXPECT_FALSE(isSha256Hex(digest.substr(1)));
    EXPECT_FALSE(isSha256Hex(digest + "0"));
    EXPECT_FALSE(isSha256Hex("BA" + digest.substr(2)));
    EXPECT_FALSE(isSha256Hex("../" + digest.substr(3)));
}

} // namespace
} // namespace coxswain::wire
