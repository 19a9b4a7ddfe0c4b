"""What each format's reader keeps: text in reading order, pages, headings."""

import io
import json
import time

import pytest

from extraction.documents.text import Mark
from extraction.source import SourceFailed, SourceSkipped
from tests.unit.extraction.documents.made import (
    make_book,
    make_pdf,
    make_slides,
    make_word,
    make_workbook,
    make_zip,
    read,
    replace_entry,
)

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def headings(name: str, text: str) -> list[tuple[str, str | None]]:
    found = read(name, text.encode())
    return [(found.text[mark.char_offset :].partition("\n")[0], mark.heading) for mark in found.marks]


def test_web_page() -> None:
    page = """<!doctype html><html><head><title>Caf&eacute;</title><style>p {}</style><script>1 &lt; 2</script></head>
    <body><template><p>no</p></template><h1>The  <b>first</b>\n head</h1><p>One<br>two &amp; three<p>Four
    <table><tr><th>a<th>b<tr><td>c<td>d</table><ul><li>x<li>y</ul><pre>  k\n    v</pre>
    <div hidden>no<p>no</div><p style="display: none">no</p><h2>Second</h2>end&nbsp;&#x41;</body></html>"""
    found = read("a.html", page.encode())

    assert found.text == (
        "Café\n\nThe first head\n\nOne\ntwo & three\n\nFour\n\na\tb\nc\td\n\nx\ny\n\n  k\n    v\n\nSecond\n\nend A"
    )
    assert [(found.text[mark.char_offset :].split("\n")[0], mark.heading) for mark in found.marks] == [
        ("The first head", "The first head"),
        ("Second", "Second"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1251", "shift_jis"])
def test_a_page_names_its_encoding(encoding: str) -> None:
    text = "東京" if encoding == "shift_jis" else "Москва"
    page = f'<html><head><meta http-equiv="Content-Type" content="text/html; charset={encoding}"></head><p>{text}</p>'

    assert read("a.html", page.encode(encoding)).text == text


def test_xhtml_with_empty_elements() -> None:
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head>'
        "<body><p>One<br/>two<a id='x'/> three</p></body></html>"
    )
    assert read("a.xhtml", page.encode()).text == "One\ntwo three"


def test_deeply_nested_page() -> None:
    assert read("a.html", b"<div>" * 100_000 + b"deep" + b"</div>" * 100_000).text == "deep"


def test_markdown_headings() -> None:
    text = """---
title: not a heading
---
# One **bold** `code` [link](http://x.org) #

Two
lines
=====

```
# no
```

    # no

<!--
# no
-->

> # no

- item
---

a | b
c

### Three\\_3
####### no
####
Last
---"""
    assert headings("a.md", text) == [
        ("# One **bold** `code` [link](http://x.org) #", "One bold code link"),
        ("Two", "Two lines"),
        ("### Three\\_3", "Three_3"),
        ("Last", "Last"),
    ]


@pytest.mark.parametrize(
    "text",
    ["# a\n\nb\n---\n\n* * *\n\nc\n***\n", "a\n\n---\n\nb\n===\n## c ##\n### d#\n#e\n", "~~~\n# a\n```\n~~~\n# b\n",
     "1. a\n---\n\n> b\n---\n\nc\n--\n", "````\n```\n# a\n````\n## b\n", "<pre>\n# a\n\n# b\n</pre>\n# c\n",
     "\t# a\n # b\n", "a\n    # b\n    c\n===\n", "``` a`b\n# c\n", "#\ta\n# \n#\n##  b  \n", "<!-- a --> \n# b\n",
     "<div>\n# a\n\n# b\n</div>\n\n# c\n", "a\n<b>\n# d\n"],
)  # fmt: skip
def test_markdown_headings_are_those_of_a_whole_parser(text: str) -> None:
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (token.map[0], " ".join(tokens[place + 1].content.split()))
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.map and tokens[place + 1].content
    ]
    found = read("a.md", text.encode())

    assert [(found.text.count("\n", 0, mark.char_offset), mark.heading) for mark in found.marks] == expected


def test_rst_titles() -> None:
    text = """=====
Title
=====

Some text::

    Not one
    -------

Section *one*
-------------

====  ====
A     B
====  ====

text
not a title
-----------

Ends
~~~~"""
    assert headings("a.rst", text) == [("=====", "Title"), ("Section *one*", "Section one"), ("Ends", "Ends")]


def test_pdf_pages_and_divided_words() -> None:
    found = read("a.pdf", make_pdf("polonium and polo-\nnium", "Zwei well-\nknown words"))

    assert found.text == "polonium and polonium\n\nZwei well-\nknown words"
    assert found.marks == (Mark(0, page=1), Mark(23, page=2))


@pytest.mark.timeout(120)
def test_a_pdf_of_300_pages_takes_seconds() -> None:
    data = make_pdf(
        *(f"Page {number}.\n" + "Marie Curie discovered polonium in Paris.\n" * 40 for number in range(1, 301))
    )

    start = time.monotonic()
    found = read("a.pdf", data)

    assert time.monotonic() - start < 30
    assert [mark.page for mark in found.marks] == list(range(1, 301))
    assert all(found.text[mark.char_offset :].startswith(f"Page {mark.page}.") for mark in found.marks)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (make_pdf(None, None), "no text layer: its pages are pictures"),
        (make_pdf("text", password="secret"), "needs a password"),
        (make_pdf("text " * 50)[:700], "damaged"),
        (b"%PDF-1.7 and no more", "damaged"),
        (b"no PDF at all", "damaged"),
    ],
)
def test_pdfs_that_cannot_be_read(data: bytes, reason: str) -> None:
    with pytest.raises(SourceFailed, match=rf"^{reason}"):
        read("a.pdf", data)


def test_a_pdf_with_some_pictures_is_read() -> None:
    assert read("a.pdf", make_pdf(None, "text")).marks == (Mark(0, page=2),)


def test_an_empty_page_is_skipped() -> None:
    with pytest.raises(SourceSkipped, match="empty"):
        read("a.pdf", make_pdf(""))


def test_word_document() -> None:
    found = read("a.docx", make_word())

    assert found.text == (
        "Radium\n\nMarie Curie discovered radium.\n\nYear\tPrize\n1911\tChemistry\n\nLater\n\nShe won again."
    )
    assert found.marks == (Mark(0, heading="Radium"), Mark(found.text.index("Later"), heading="Later"))


def test_a_word_document_with_changes_and_controls() -> None:
    body = f"""<w:document {W}><w:body><w:sdt><w:sdtContent><w:p><w:r><w:t>In a control.</w:t></w:r></w:p>
    </w:sdtContent></w:sdt><w:p><w:r><w:t xml:space="preserve">Kept </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins>
    <w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:tab/><w:t>end</w:t></w:r></w:p></w:body></w:document>"""

    assert read("a.docx", replace_entry(make_word(), "word/document.xml", body.encode())).text == (
        "In a control.\n\nKept new\tend"
    )


def test_slides_are_pages() -> None:
    found = read("a.pptx", make_slides())

    one, two = (f"Slide {n}\n\nBody {n}\n\nleft\tright\n\nNote {n}" for n in (1, 2))
    assert found.text == f"{one}\n\n{two}"
    assert found.marks == (Mark(0, page=1, heading="Slide 1"), Mark(len(one) + 2, page=2, heading="Slide 2"))


def test_sheets_are_headings() -> None:
    found = read("a.xlsx", make_workbook())

    assert found.text == "People\n\nName\tBorn\nMarie Curie\t1867\n\nPrizes\n\n\tTRUE\t2.5"
    assert [mark.heading for mark in found.marks] == ["People", "Prizes"]


def test_a_far_cell_costs_nothing_and_the_others_are_read() -> None:
    from openpyxl import Workbook

    book, file = Workbook(), io.BytesIO()
    sheet = book.active
    sheet["A1"], sheet["C1"], sheet["B3"], sheet["XFD1048576"] = "first", 3, "second", "far"
    book.save(file)
    began = time.monotonic()

    assert read("far.xlsx", file.getvalue()).text == "Sheet\n\nfirst\t\t3\n\tsecond"
    assert time.monotonic() - began < 30


def test_a_title_that_the_page_repeats_stands_once() -> None:
    page = "<html><head><title>Life</title></head><body><h1>Life</h1><p>Born in Ulm.</p></body></html>"
    found = read("a.html", page.encode())

    assert found.text == "Life\n\nBorn in Ulm."
    assert [(mark.char_offset, mark.heading) for mark in found.marks] == [(0, "Life")]
    assert read("a.html", b"<title>Only this</title>").text == "Only this"


def test_the_inside_of_a_document_type_is_no_text() -> None:
    page = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd"> <!ENTITY y "]">]>\n<p>hi &x;</p>'

    assert read("a.html", page.encode()).text == "hi &x;"


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    found = read("a.epub", make_book())

    assert found.text == "Radium\n\nMarie Curie\n\nFirst\n\nText of First.\n\nSecond\n\nText of Second."
    assert [mark.heading for mark in found.marks] == ["First", "Second"]


def test_a_protected_book() -> None:
    encryption = '<encryption><CipherData><CipherReference URI="OEBPS/one.xhtml"/></CipherData></encryption>'

    with pytest.raises(SourceFailed, match="needs a licence"):
        read("a.epub", make_book(**{"META-INF__encryption.xml": encryption}))


def test_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["Before\n", "# Radium\n", "text\n", "## More"]},
        {"cell_type": "code", "source": "print(1)", "outputs": [
            {"output_type": "stream", "text": ["1\n"]},
            {"output_type": "execute_result", "data": {"text/plain": "2", "text/html": "<b>2</b>"}},
        ]},
    ]  # fmt: skip
    found = read("a.ipynb", json.dumps({"cells": cells, "nbformat": 4}).encode())

    assert found.text == "Before\n\n# Radium\ntext\n\n## More\n\nprint(1)\n\n1\n\n2"
    assert [mark.heading for mark in found.marks] == ["Radium", "More"]


@pytest.mark.parametrize("data", [b"{", b"[1]", b'{"a": 1}', b"[" * 200_000])
def test_what_is_no_notebook(data: bytes) -> None:
    with pytest.raises(SourceFailed, match=r"^damaged: the notebook"):
        read("a.ipynb", data)


MAIL = """Subject: =?utf-8?q?Caf=C3=A9?=
From: Marie Curie <marie@example.org>
To: pierre@example.org
Date: Mon, 1 Jan 1900 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/html; charset=utf-8

<p>As a page</p>
--c
{plain}--c--
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="notes.pdf"

JVBERi0=
--b--
"""
HEAD = (
    "Subject: Café\nFrom: Marie Curie <marie@example.org>\nTo: pierre@example.org\n"
    "Date: Mon, 01 Jan 1900 10:00:00 +0000"
)


def test_mail() -> None:
    plain = "Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nD=E9j=E0 vu\n"

    assert read("a.eml", MAIL.format(plain=plain).encode()).text == f"{HEAD}\n\nDéjà vu\n\nAttachment: notes.pdf"
    assert read("a.eml", MAIL.format(plain="").encode()).text == f"{HEAD}\n\nAs a page\n\nAttachment: notes.pdf"


def test_a_mail_of_nested_parts_ends() -> None:
    parts = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(1_500))

    with pytest.raises(SourceFailed, match="nested too deeply"):
        read("a.eml", f"Subject: deep\n{parts}\n\nx".encode())


# -- what harms

BILLION_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 11))
    + "]>"
)
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a10 SYSTEM "file:///etc/passwd">]>'


def text_or_reason(name: str, data: bytes) -> str:
    try:
        return read(name, data).text
    except (SourceFailed, SourceSkipped) as exc:
        return str(exc)


@pytest.mark.parametrize("prologue", [BILLION_LAUGHS, OUTSIDE])
def test_entities_are_not_expanded(prologue: str) -> None:
    document = f"{prologue}<w:document {W}><w:body><w:p><w:r><w:t>Text &a10;</w:t></w:r></w:p></w:body></w:document>"
    files = {
        "a.docx": replace_entry(make_word(), "word/document.xml", document.encode()),
        "a.epub": make_book(**{"OEBPS__one.xhtml": f"{prologue}<html><body><p>Text &a10;</p></body></html>"}),
        "a.html": f"{prologue}<html><body><p>Text &a10;</p></body></html>".encode(),
        "a.xlsx": replace_entry(make_workbook(), "xl/workbook.xml", f"{prologue}<workbook>&a10;</workbook>".encode()),
    }
    for name, data in files.items():
        text = text_or_reason(name, data)
        assert len(text) < 1_000
        assert "haha" not in text
        assert "root:" not in text


@pytest.fixture(scope="module")
def bombs() -> tuple[bytes, bytes]:
    return make_zip({"word/document.xml": bytes(30_000_000)}), make_zip({"word/document.xml": bytes(501_000_000)})


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub"])
def test_a_zip_bomb_is_not_unpacked(name: str, bombs: tuple[bytes, bytes]) -> None:
    for bomb, reason in zip(bombs, ("as only a zip bomb does", "unpacks to 501 MB"), strict=True):
        with pytest.raises(SourceSkipped, match=reason):
            read(name, bomb)


@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub"])
def test_archives_of_other_things_are_damaged(name: str) -> None:
    for data in (make_zip({"a": "b"}), make_zip({}), b"words", make_word()[:-200]):
        with pytest.raises(SourceFailed, match=r"^damaged: "):
            read(name, data)


def test_encrypted_and_old_office_documents() -> None:
    with pytest.raises(SourceFailed, match="needs a password"):
        read("a.docx", b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(SourceFailed, match="before 2007"):
        read("a.docx", b"\xd0\xcf\x11\xe0" + bytes(600))
