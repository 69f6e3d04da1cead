// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/fieldtexts.h"

#include <QCoreApplication>

namespace coxswain::ui::fieldtexts {
namespace {

struct Entry {
    const char* path;
    const char* title;
    bool advanced;
};

constexpr Entry entries[] = {
    {"name", QT_TRANSLATE_NOOP("JobFields", "Name"), false},
    {"runtime", QT_TRANSLATE_NOOP("JobFields", "Runtime"), false},
    {"ranks_per_node", QT_TRANSLATE_NOOP("JobFields", "Ranks on each node"), false},
    {"train.steps", QT_TRANSLATE_NOOP("JobFields", "Steps"), false},
    {"train.global_batch", QT_TRANSLATE_NOOP("JobFields", "Global batch"), false},
    {"train.sequence_length", QT_TRANSLATE_NOOP("JobFields", "Sequence length"), false},
    {"train.learning_rate", QT_TRANSLATE_NOOP("JobFields", "Learning rate"), false},
    {"train.schedule", QT_TRANSLATE_NOOP("JobFields", "Schedule"), true},
    {"train.final_learning_rate", QT_TRANSLATE_NOOP("JobFields", "Final learning rate"), true},
    {"train.learning_rate_scaling", QT_TRANSLATE_NOOP("JobFields", "Scale rate with ranks"), true},
    {"train.warmup_steps", QT_TRANSLATE_NOOP("JobFields", "Warm-up"), true},
    {"train.weight_decay", QT_TRANSLATE_NOOP("JobFields", "Weight decay"), true},
    {"train.beta1", QT_TRANSLATE_NOOP("JobFields", "Beta 1"), true},
    {"train.beta2", QT_TRANSLATE_NOOP("JobFields", "Beta 2"), true},
    {"train.epsilon", QT_TRANSLATE_NOOP("JobFields", "Epsilon"), true},
    {"train.clip_norm", QT_TRANSLATE_NOOP("JobFields", "Gradient clipping"), true},
    {"train.seed", QT_TRANSLATE_NOOP("JobFields", "Seed"), true},
    {"train.threads_per_rank", QT_TRANSLATE_NOOP("JobFields", "Threads of each rank"), true},
    {"train.bucket_mib", QT_TRANSLATE_NOOP("JobFields", "Bucket size"), true},
    {"train.micro_batch", QT_TRANSLATE_NOOP("JobFields", "Micro-batch"), true},
    {"train.gradient_checkpointing", QT_TRANSLATE_NOOP("JobFields", "Gradient checkpointing"), true},
    {"train.non_finite", QT_TRANSLATE_NOOP("JobFields", "Non-finite gradients"), true},
    {"checkpoint.every_steps", QT_TRANSLATE_NOOP("JobFields", "Checkpoint every"), false},
    {"checkpoint.every_epoch", QT_TRANSLATE_NOOP("JobFields", "Checkpoint each epoch"), true},
    {"checkpoint.keep_last", QT_TRANSLATE_NOOP("JobFields", "Checkpoints kept"), true},
    {"checkpoint.resume", QT_TRANSLATE_NOOP("JobFields", "Resume"), true},
    {"deadlines.startup_seconds", QT_TRANSLATE_NOOP("JobFields", "Start-up deadline"), true},
    {"deadlines.collective_seconds", QT_TRANSLATE_NOOP("JobFields", "Collective deadline"), true},
};

const Entry* find(const std::string& path) {
    for (const Entry& entry : entries)
        if (path == entry.path)
            return &entry;
    return nullptr;
}

QString translated(const std::string& text) {
    return QCoreApplication::translate("JobFields", text.c_str());
}

} // namespace

QString title(const wire::FieldInfo& field) {
    if (const Entry* entry = find(field.path))
        return translated(entry->title);
    QString text = QString::fromStdString(field.path).section(QLatin1Char('.'), -1);
    text.replace(QLatin1Char('_'), QLatin1Char(' '));
    return text.left(1).toUpper() + text.mid(1);
}

QString help(const wire::FieldInfo& field) {
    return translated(field.help);
}

QString unit(const wire::FieldInfo& field) {
    return field.unit.empty() ? QString() : translated(field.unit);
}

bool isAdvanced(const wire::FieldInfo& field) {
    const Entry* entry = find(field.path);
    return !entry || entry->advanced;
}

} // namespace coxswain::ui::fieldtexts
