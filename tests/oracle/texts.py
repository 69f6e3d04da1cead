# usage: texts.py UNPACKED TEXTS: writes TEXTS/LANGUAGE.txt, a message a line, of the catalogues under UNPACKED/LANGUAGE.
import gettext, pathlib, sys

unpacked, texts = map(pathlib.Path, sys.argv[1:])
for folder in sorted(path for path in unpacked.iterdir() if path.is_dir()):
    lines = set()
    for file in folder.rglob("*.mo"):
        with open(file, "rb") as stream:
            catalogue = gettext.GNUTranslations(stream)._catalog
        lines.update(" ".join(text.split()) for text in catalogue.values() if isinstance(text, str))
    lines.discard("")
    if len(lines) < 2000:
        sys.exit(f"{folder.name}: only {len(lines)} messages")
    (texts / f"{folder.name}.txt").write_text("".join(line + "\n" for line in sorted(lines)), encoding="utf-8")
