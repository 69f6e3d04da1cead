// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/jobdocument.h"

#include "cluster/job/inputs.h"
#include "trainer/wire/version.h"
#include "ui/jobpage/presets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace coxswain::ui {
namespace {

using nlohmann::json;

/// The value at a dotted path; null where it is absent.
json valueAt(const json& document, const std::string& path) {
    const json* at = &document;
    for (const auto& part : QString::fromStdString(path).split(QLatin1Char('.'))) {
        if (!at->is_object() || !at->contains(part.toStdString()))
            return nullptr;
        at = &(*at)[part.toStdString()];
    }
    return *at;
}

QString pathText(const json& input) {
    if (input.is_string())
        return QString::fromStdString(input.get<std::string>());
    if (input.is_object() && input.contains("path") && input["path"].is_string())
        return QString::fromStdString(input["path"].get<std::string>());
    return {};
}

/// Keeps where an input lies ("at") when only its path changes.
void setPath(json& parent, const char* name, const QString& path) {
    json& input = parent[name];
    if (input.is_object() && input.contains("at"))
        input["path"] = path.toStdString();
    else
        input = path.toStdString();
}

} // namespace

JobDocument::JobDocument(QObject* parent) : QObject(parent), m_folder(QDir::homePath()) {
    m_json = {
        {"format", wire::jobFormat}, {"name", "job"}, {"model", {{"config", modelPresets().front().config}}}};
    validate();
}

core::Expected<void> JobDocument::open(const QString& path) {
    QFile file(path);
    const QString tried = tr("open the job file %1").arg(path);
    if (!file.open(QIODevice::ReadOnly))
        return core::fail({core::ErrorCode::Missing, {}, tried, file.errorString(), {}});
    const QByteArray text = file.readAll();
    json document = json::parse(text.begin(), text.end(), nullptr, false);
    if (document.is_discarded() || !document.is_object())
        return core::fail({core::ErrorCode::BadInput, {}, tried, tr("it is not a JSON object"), {}});
    m_saved = document;
    replace(std::move(document), QFileInfo(path).absoluteFilePath(), QFileInfo(path).absolutePath());
    return {};
}

core::Expected<void> JobDocument::save(const QString& path) {
    const QString folder = QFileInfo(path).absolutePath();
    // What was relative to another folder must still be found from the new one.
    const auto rebase = [&](const QString& input) {
        const bool relative =
            !input.isEmpty() && QDir::isRelativePath(input) && !input.startsWith(QLatin1Char('~'));
        return relative && folder != m_folder ? QDir::cleanPath(QDir(m_folder).filePath(input)) : input;
    };
    json document = m_json;
    if (const QString source = dataPath(); !source.isEmpty() && valueAt(document, "data.source").is_string())
        document["data"]["source"] = rebase(source).toStdString();
    if (const QString model = modelFolder();
        !model.isEmpty() && valueAt(document, "model.folder").is_string())
        document["model"]["folder"] = rebase(model).toStdString();
    QSaveFile file(path);
    const QByteArray text = QByteArray::fromStdString(document.dump(2)) + '\n';
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
        return core::fail(
            {core::ErrorCode::Permission, {}, tr("save the job as %1").arg(path), file.errorString(), {}});
    m_saved = document;
    replace(std::move(document), QFileInfo(path).absoluteFilePath(), folder);
    return {};
}

core::Expected<void> JobDocument::apply(const QStringList& settings) {
    json changed = m_json;
    for (const QString& setting : settings) {
        const auto at = setting.indexOf(QLatin1Char('='));
        const auto set =
            wire::setField(changed, setting.left(at).toStdString(), setting.mid(at + 1).toStdString());
        if (at < 1 || !set)
            return core::fail({core::ErrorCode::BadInput,
                               {},
                               tr("set %1").arg(setting),
                               at < 1 ? tr("expected KEY=VALUE") : QString::fromStdString(set.error().text()),
                               {}});
    }
    replace(std::move(changed), m_file, m_folder);
    return {};
}

void JobDocument::setSpec(const wire::JobSpec& spec, const QString& folder) {
    json document = wire::toJson(spec);
    document.erase("id");
    m_saved = nullptr;
    replace(std::move(document), {}, folder);
}

void JobDocument::replace(json document, const QString& file, const QString& folder) {
    m_json = std::move(document);
    m_file = file;
    m_folder = folder;
    validate();
    emit replaced();
    emit changed();
}

void JobDocument::validate() {
    auto spec = wire::parseJobSpec(m_json);
    m_spec.reset();
    m_errors.clear();
    if (spec)
        m_spec = std::move(*spec);
    else
        m_errors = spec.error();
    checkFiles();
    if (!m_errors.empty())
        m_spec.reset();
}

/// What the format cannot know: whether the desktop's files are there.
void JobDocument::checkFiles() {
    if (!m_spec)
        return;
    const auto missing = [this](const wire::Input& input) {
        return input.at == wire::Input::At::Desktop && !QFileInfo::exists(job::desktopPath(input, m_folder));
    };
    if (missing(m_spec->data.source))
        m_errors.push_back({"data.source", tr("there is no such file").toStdString()});
    if (m_spec->model.folder && missing(*m_spec->model.folder))
        m_errors.push_back({"model.folder", tr("there is no such folder").toStdString()});
    else if (m_spec->model.folder && m_spec->model.folder->at == wire::Input::At::Desktop &&
             !QFileInfo::exists(job::desktopPath(*m_spec->model.folder, m_folder) +
                                QStringLiteral("/config.json")))
        m_errors.push_back({"model.folder", tr("there is no config.json in it").toStdString()});
}

QString JobDocument::errorAt(const std::string& path) const {
    for (const auto& error : m_errors)
        if (error.field == path || error.field.starts_with(path + '.'))
            return QString::fromStdString(error.message);
    return {};
}

QString JobDocument::fieldText(const wire::FieldInfo& field) const {
    json value = valueAt(m_json, field.path);
    if (value.is_null())
        value = field.defaultValue;
    return QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
}

void JobDocument::setField(const wire::FieldInfo& field, const QString& text) {
    using Type = wire::FieldInfo::Type;
    // A name such as "2024" is a text all the same; wire would read it as a number.
    const bool isText = field.type == Type::Text || field.type == Type::Choice;
    const std::string value = isText ? json(text.toStdString()).dump() : text.trimmed().toStdString();
    if (auto set = wire::setField(m_json, field.path, value); !set)
        m_errors.push_back(set.error());
    else
        validate();
    emit changed();
}

void JobDocument::setModelFolder(const QString& path) {
    json& model = m_json["model"];
    if (!model.is_object())
        model = json::object();
    model.erase("config");
    setPath(model, "folder", path);
    validate();
    emit changed();
}

void JobDocument::setModelConfig(const json& config) {
    m_json["model"] = {{"config", config}};
    validate();
    emit changed();
}

void JobDocument::setData(const QString& path) {
    json& data = m_json["data"];
    if (!data.is_object())
        data = json::object();
    setPath(data, "source", path);
    validate();
    emit changed();
}

void JobDocument::setNodes(const QStringList& names) {
    if (names.isEmpty()) {
        m_json.erase("nodes");
    } else {
        m_json["nodes"] = json::array();
        for (const QString& name : names)
            m_json["nodes"].push_back(name.toStdString());
    }
    validate();
    emit changed();
}

QString JobDocument::modelFolder() const {
    return pathText(valueAt(m_json, "model.folder"));
}

QString JobDocument::dataPath() const {
    return pathText(valueAt(m_json, "data.source"));
}

QStringList JobDocument::nodes() const {
    QStringList names;
    const json list = valueAt(m_json, "nodes");
    if (list.is_array())
        for (const json& name : list)
            if (name.is_string())
                names.append(QString::fromStdString(name.get<std::string>()));
    return names;
}

} // namespace coxswain::ui
