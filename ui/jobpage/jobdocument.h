// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/core/error.h"
#include "trainer/wire/jobspec.h"

#include <QObject>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace coxswain::ui {

/// The job that is being set up: job.json as a document, with what is wrong in it. Every change is checked by
/// wire::parseJobSpec(), the same that the command line and the trainer use.
class JobDocument : public QObject {
    Q_OBJECT
public:
    /// A new job: a small model from scratch, no data yet.
    explicit JobDocument(QObject* parent = nullptr);

    core::Expected<void> open(const QString& file);
    core::Expected<void> save(const QString& file);
    /// Settings as on the command line, "train.steps=50".
    core::Expected<void> apply(const QStringList& settings);
    /// A copy of another run's job; `folder` is what its relative paths are relative to.
    void setSpec(const wire::JobSpec& spec, const QString& folder);

    const nlohmann::json& content() const { return m_json; }
    /// As in the file; null for a job that was never saved.
    const nlohmann::json& savedContent() const { return m_saved; }
    QString file() const { return m_file; }
    /// What relative desktop paths are relative to.
    QString folder() const { return m_folder; }
    bool isModified() const { return m_json != m_saved; }

    /// nothing while there are errors.
    const std::optional<wire::JobSpec>& spec() const { return m_spec; }
    const std::vector<wire::FieldError>& errors() const { return m_errors; }
    /// What is wrong at `path` or below it; empty when nothing is.
    QString errorAt(const std::string& path) const;
    /// Text of a simple field, as a person would type it; its default where the document does not have it.
    QString fieldText(const wire::FieldInfo& field) const;

    void setField(const wire::FieldInfo& field, const QString& text);
    void setModelFolder(const QString& path);
    void setModelConfig(const nlohmann::json& config);
    void setData(const QString& path);
    void setNodes(const QStringList& names);
    QString modelFolder() const;
    QString dataPath() const;
    /// As in the file: names and ranges.
    QStringList nodes() const;

signals:
    void replaced(); ///< another document: forms have to read all of it anew
    void changed();

private:
    void replace(nlohmann::json document, const QString& file, const QString& folder);
    void validate();
    void checkFiles();

    nlohmann::json m_json;
    nlohmann::json m_saved;
    QString m_file;
    QString m_folder;
    std::optional<wire::JobSpec> m_spec;
    std::vector<wire::FieldError> m_errors;
};

} // namespace coxswain::ui
