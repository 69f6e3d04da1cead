// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/jobpage/inputsection.h"

#include "cluster/core/plan.h"
#include "ui/format.h"
#include "ui/jobpage/fieldrow.h"
#include "ui/jobpage/jobdocument.h"
#include "ui/jobpage/presets.h"

#include <QComboBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace coxswain::ui {
namespace {

constexpr int huggingFaceFolder = -1;
constexpr int asInTheFile = -2; ///< a config that is no preset

QPushButton* browseButton(const QString& name, const QString& toolTip) {
    auto* button = new QPushButton(InputSection::tr("Browse …"));
    button->setObjectName(name);
    button->setToolTip(toolTip);
    return button;
}

} // namespace

InputSection::InputSection(JobDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_model(new QComboBox), m_folder(new QLineEdit),
      m_data(new QLineEdit) {
    m_model->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_model->setMinimumContentsLength(10);
    int index = 0;
    for (const auto& preset : modelPresets())
        m_model->addItem(tr("From scratch – %1").arg(preset.title), index++);
    m_model->addItem(tr("Hugging Face folder"), huggingFaceFolder);
    m_modelRow = new FieldRow(QStringLiteral("model"), tr("&Model"), m_model, {}, {});
    m_folderRow = new FieldRow(QStringLiteral("modelFolder"), tr("Model folder"), m_folder, {},
                               tr("A folder with config.json, safetensors and tokenizer.json"));
    m_dataRow =
        new FieldRow(QStringLiteral("dataSource"), tr("&Data"), m_data, {},
                     tr("A text file, one document a line; it is split into one shard for each rank"));
    m_folder->setPlaceholderText(tr("path of a folder on this machine"));
    m_data->setPlaceholderText(tr("path of a text file on this machine"));
    auto* browseModel = browseButton(QStringLiteral("browseModel"), tr("Choose a model's folder"));
    auto* browseData = browseButton(QStringLiteral("browseData"), tr("Choose a text file"));
    m_folderRow->addButton(browseModel);
    m_dataRow->addButton(browseData);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    for (FieldRow* row : {m_modelRow, m_folderRow, m_dataRow})
        column->addWidget(row);
    connect(m_model, &QComboBox::activated, this, &InputSection::chooseModel);
    connect(m_folder, &QLineEdit::textEdited, &document, &JobDocument::setModelFolder);
    connect(m_data, &QLineEdit::textEdited, &document, &JobDocument::setData);
    connect(browseModel, &QPushButton::clicked, this, [this] { browse(true); });
    connect(browseData, &QPushButton::clicked, this, [this] { browse(false); });
    connect(&document, &JobDocument::replaced, this, &InputSection::readAll);
    connect(&document, &JobDocument::changed, this, &InputSection::showErrors);
    readAll();
    showErrors();
}

void InputSection::readAll() {
    const auto& json = m_document.content();
    const bool fromFolder = json.contains("/model/folder"_json_pointer);
    const nlohmann::json config = json.value("/model/config"_json_pointer, nlohmann::json());
    int chosen = fromFolder ? huggingFaceFolder : asInTheFile;
    int index = 0;
    for (const auto& preset : modelPresets()) {
        if (preset.config == config)
            chosen = index;
        ++index;
    }
    m_model->removeItem(m_model->findData(asInTheFile));
    if (chosen == asInTheFile)
        m_model->addItem(tr("From scratch – as in the job file"), asInTheFile);
    m_model->setCurrentIndex(m_model->findData(chosen));
    m_folder->setText(m_document.modelFolder());
    m_data->setText(m_document.dataPath());
    m_folderRow->setVisible(fromFolder);
}

void InputSection::chooseModel(int) {
    const int chosen = m_model->currentData().toInt();
    m_folderRow->setVisible(chosen == huggingFaceFolder);
    if (chosen == huggingFaceFolder)
        m_document.setModelFolder(m_folder->text());
    else if (chosen >= 0)
        m_document.setModelConfig(modelPresets()[std::size_t(chosen)].config);
}

void InputSection::showErrors() {
    const bool fromFolder = !m_folderRow->isHidden();
    m_folderRow->setError(fromFolder ? m_document.errorAt("model") : QString());
    m_modelRow->setError(fromFolder ? QString() : m_document.errorAt("model"));
    m_modelRow->setHelp(sizeText());
    m_dataRow->setError(m_document.errorAt("data"));
}

QString InputSection::sizeText() const {
    const auto config = m_document.content().value("/model/config"_json_pointer, nlohmann::json());
    if (!config.is_object())
        return {};
    const qint64 parameters = core::estimateParameters(config);
    return parameters > 0 ? tr("%1 parameters, over bytes").arg(format::shortCount(double(parameters)))
                          : QString();
}

void InputSection::browse(bool model) {
    auto* dialog = new QFileDialog(this, model ? tr("Choose a model's folder") : tr("Choose a text file"),
                                   m_document.folder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(model ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this, model](const QString& path) {
        (model ? m_folder : m_data)->setText(path);
        if (model)
            m_document.setModelFolder(path);
        else
            m_document.setData(path);
    });
    dialog->open();
}

} // namespace coxswain::ui
