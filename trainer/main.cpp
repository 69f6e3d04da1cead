// SPDX-License-Identifier: Apache-2.0
// coxswain-trainer JOB.json: one rank of a data-parallel training. Started by mpirun, one process a rank.
// coxswain-trainer tokenize, score, gradients MODEL: what its tokenizer, or the model, makes of a text.
#include "trainer/dist/errors.h"
#include "trainer/dist/mpi.h"
#include "trainer/modelverbs.h"
#include "trainer/options.h"
#include "trainer/stopsignal.h"
#include "trainer/threads.h"
#include "trainer/tokenizeverb.h"
#include "trainer/train/memory.h"
#include "trainer/train/training.h"
#include "trainer/wire/layout.h"

#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace {

using namespace coxswain;
using namespace coxswain::trainer;
using wire::ExitCode;

int numberFromEnvironment(const char* name, int otherwise) {
    const char* value = std::getenv(name);
    return value ? std::atoi(value) : otherwise;
}

wire::JobSpec readJob(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream)
        throw TrainerError(ExitCode::BadJob, "cannot read " + file.string());
    std::ostringstream text;
    text << stream.rdbuf();
    auto spec = wire::parseJobText(text.str());
    if (!spec) {
        std::string faults;
        for (const auto& error : spec.error())
            faults += (faults.empty() ? "" : "; ") + error.text();
        throw TrainerError(ExitCode::BadJob, file.string() + ": " + faults);
    }
    return std::move(*spec);
}

std::chrono::milliseconds fromSeconds(double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * seconds));
}

/// One rank from start to end. What main() reports of a failure is kept outside: metrics, step, whether MPI
/// runs.
class Rank {
public:
    explicit Rank(Options options)
        : m_options(std::move(options)), m_rank(numberFromEnvironment("OMPI_COMM_WORLD_RANK", 0)) {}

    void run() {
        const StopSignal stop; // first: a wish to stop that comes early must not kill the rank
        std::error_code said;  // by the writer, which then finds no folder
        std::filesystem::create_directories(m_options.output, said);
        m_metrics = std::make_unique<MetricsWriter>(m_options.output / wire::layout::rankFile(m_rank),
                                                    m_options.attempt);
        const wire::JobSpec spec = readJob(m_options.job);
        Watchdog watchdog(
            [this](const std::string& what, std::chrono::milliseconds limit) { expired(what, limit); },
            static_cast<int>(ExitCode::Deadline));
        const auto startupLimit = fromSeconds(spec.deadlines.startupSeconds);
        std::optional<Watchdog::Guard> ending; // outlives MPI: its end too waits for the other ranks
        std::unique_ptr<MpiSession> mpi;
        {
            const Watchdog::Guard guard(watchdog, "MPI_Init", startupLimit);
            mpi = std::make_unique<MpiSession>();
        }
        m_mpiRuns = true;
        m_host = mpi->host();
        useThreads(spec.train.threadsPerRank, mpi->localSize());
        std::unique_ptr<DevicePlugin> plugin;
        if (spec.runtime == "cu13") {
            plugin = loadCudaPlugin();
            plugin->selectDevice(mpi->localRank());
        }
        const auto startup = mpi->world(watchdog, startupLimit);
        const auto collectiveLimit = fromSeconds(spec.deadlines.collectiveSeconds);
        const auto world = mpi->world(watchdog, collectiveLimit);
        train({spec, std::filesystem::absolute(m_options.job).parent_path(), m_options.output, m_host,
               *startup, *world, *m_metrics, plugin.get(), [&] { return stop.requested(); }, &m_step});
        ending.emplace(watchdog, "MPI_Finalize", collectiveLimit);
    }

    int fail(ExitCode code, const std::string& message) noexcept {
        report(code, message);
        if (m_mpiRuns)
            MpiSession::abortAll(static_cast<int>(code));
        return static_cast<int>(code);
    }

private:
    void report(ExitCode code, const std::string& message) noexcept {
        if (m_metrics)
            m_metrics->writeLastWords(wire::ErrorLine{code, message, m_step});
        std::fprintf(stderr, "coxswain-trainer: rank %d%s%s: %s\n", m_rank, m_host.empty() ? "" : " on ",
                     m_host.c_str(), message.c_str());
    }

    /// From the watchdog's thread, while the main thread hangs in `what`.
    void expired(const std::string& what, std::chrono::milliseconds limit) {
        report(ExitCode::Deadline, what + " did not finish within " + std::to_string(limit.count() / 1000) +
                                       " s: another rank hangs or cannot be reached");
        if (m_mpiRuns)
            MpiSession::abortAll(static_cast<int>(ExitCode::Deadline));
    }

    Options m_options;
    int m_rank;
    std::string m_host;
    std::unique_ptr<MetricsWriter> m_metrics;
    std::atomic<std::int64_t> m_step{0};
    std::atomic<bool> m_mpiRuns{false};
};

} // namespace

int main(int argc, char** argv) {
    using Verb = int (*)(int, char**);
    for (const auto& [name, verb] : {std::pair<const char*, Verb>("tokenize", tokenizeVerb),
                                     {"score", scoreVerb},
                                     {"gradients", gradientsVerb}})
        if (argc > 1 && std::strcmp(argv[1], name) == 0)
            return verb(argc - 1, argv + 1);
    ::umask(077);
    keepFreedMemory();
    const auto options = parseOptions(argc, argv);
    if (!options)
        return static_cast<int>(ExitCode::Usage);
    if (options->showHelp)
        return 0;
    Rank rank(*options);
    try {
        rank.run();
        return static_cast<int>(ExitCode::Ok);
    } catch (const TrainerError& error) {
        return rank.fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
        return rank.fail(ExitCode::OutOfMemory, "out of memory");
    } catch (const std::exception& error) {
        return rank.fail(exitCodeOf(error), error.what());
    }
}
