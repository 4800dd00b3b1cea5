#!/usr/bin/env python3
"""Checks the page of 'muster report --html' in a real browser: clicks, keys, search, chains,
malicious names, light and dark mode. Skipped without a browser.

usage: report_page_test.py MUSTER [SCREENSHOTS]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import browser as browsers

MUSTER_YAML = """version: 1
name: "</title><script>window.hacked = 1</script>"
folders: [plain]
classes:
  ThingRegistry:
    entries: entries
    references:
    - {path: thing, strength: strong, targets: [client, server]}
budgets:
- {kind: png, target: client, bytes: 1 GiB}
"""
# The slashes in this path make folders. An unescaped `</script>` would close an element.
HOSTILE = "plain/</script><script>window.hacked=1</script>/\"'><img src=x onerror=hacked=1>&amp;"
MANY = 320  # more assets than the map shows for one folder
UNICODE = "plain/\u00fcml\u00e4ut \u65e5\u672c\u8a9e \u202eabc \U0001f4e6"


def guid(number):
    return f"{number:032x}"


def write(root, path, data, number):
    file = pathlib.Path(root, path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    file.with_name(file.name + ".meta").write_text(
        f"fileFormatVersion: 2\nguid: {guid(number)}\n", encoding="utf-8")


def prefab(name, *references):
    lines = "".join(f"  - {{fileID: 2800000, guid: {guid(each)}, type: 3}}\n"
                    for each in references)
    return ("%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &100\nGameObject:\n"
            f"  m_Name: {name}\n  m_Pictures:\n{lines}").encode()


def noise(size, seed):
    state, out = seed, bytearray()
    while len(out) < size:
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        out += (state >> 16).to_bytes(6, "little")
    return bytes(out[:size])


def make_project(root):
    """A project of four prefabs. Two prefabs share a picture through a material, and two pictures
    are equal."""
    write(root, "plain/shared/Big.png", noise(90000, 1), 1)
    write(root, "plain/shared/Paint.mat", prefab("Paint", 1), 2)
    write(root, "plain/one/One.prefab", prefab("One", 2), 11)
    write(root, "plain/two/Two.prefab", prefab("Two", 2, 3), 12)
    write(root, "plain/two/Small.png", noise(9000, 2), 3)
    write(root, UNICODE + "/Copy.png", noise(9000, 2), 4)
    write(root, UNICODE + "/Three.prefab", prefab("Three", 4), 13)
    write(root, HOSTILE + ".prefab", prefab("Four", 5), 14)
    write(root, HOSTILE + ".png", noise(20000, 3), 5)
    for number in range(MANY):
        write(root, f"plain/many/{number}.prefab", prefab(f"Many{number}" * (1 + number % 9)),
              1000 + number)
    entries = "".join(f"- type_id: {i}\n  thing: {{fileID: 100, guid: {guid(10 + i)}}}\n"
                      for i in (1, 2, 3, 4, *range(990, 990 + MANY)))
    write(root, "plain/things.yaml", f"class: ThingRegistry\nentries:\n{entries}".encode(), 99)
    pathlib.Path(root, "muster.yaml").write_text(MUSTER_YAML, encoding="utf-8")


def run(expected, *command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == expected, (command, done.returncode, done.stdout, done.stderr)


def make_page(muster, work):
    project, old, new, page = (os.path.join(work, name)
                               for name in ("project", "old", "new", "report.html"))
    make_project(project)
    run(0, muster, "build", project, "--out", old)
    write(project, "plain/shared/Big.png", noise(95000, 1), 1)
    write(project, "plain/one/New.png", noise(3000, 4), 6)
    write(project, "plain/one/One.prefab", prefab("One", 2, 6), 11)
    write(project, "plain/two/Two.prefab", prefab("Two", 2), 12)
    run(0, muster, "build", project, "--out", new)
    run(1, muster, "report", new, "--html", page, "--against", old, "--budget", "client=100000",
        "--budget", "server=900000000")
    return page


class Page:
    def __init__(self, url, dark):
        self.browser = browsers.Browser(dark=dark)
        self.browser.open(url)

    def value(self, expression):
        return self.browser.value(expression)

    def text(self, selector):
        return self.value(f"document.querySelector({selector!r}).textContent")

    def check(self, expression, wanted=True):
        found = self.value(expression)
        assert found == wanted, (expression, found, wanted)

    def focus(self):
        return self.value("document.activeElement.getAttribute('aria-label') || ''")

    def search(self, text):
        self.browser.press("/")
        self.check("document.activeElement.id", "search")
        self.browser.type(text)
        self.check("document.getElementById('search').getAttribute('aria-expanded')", "true")


def check_first_view(page):
    page.check("window.hacked === undefined")
    page.check("document.title",
               "</title><script>window.hacked = 1</script>: where the bytes are")
    page.check("document.querySelectorAll('#targets [role=radio]').length", 2)
    page.check("document.querySelectorAll('#map [role=treeitem]').length > 0")
    page.check("document.querySelectorAll('#map [tabindex=\"0\"]').length", 1)
    page.check("[...document.querySelectorAll('#map .box')].every(b => b.clientWidth > 0)")
    assert "over" in page.text("#budget"), page.text("#budget")
    assert "since" in page.text("#cards"), page.text("#cards")
    page.check("""(() => { const m = document.getElementById('map').getBoundingClientRect();
        const all = [...document.querySelectorAll('#map > .box')].map(
          b => b.getBoundingClientRect());
        const area = all.reduce((sum, r) => sum + r.width * r.height, 0);
        return all.every(r => r.left >= m.left - 1 && r.right <= m.right + 1 && r.top >= m.top - 1
          && r.bottom <= m.bottom + 1) && area > 0.9 * m.width * m.height
          && area < 1.01 * m.width * m.height; })()""")


def check_clicks(page):
    browser = page.browser
    crumbs = "document.querySelectorAll('#crumbs button').length"
    page.check(crumbs, 1)
    browser.click("#map > .box.group .name")
    page.check(crumbs, 2)
    # A click on an asset shows its details and does not change the map.
    page.value("[...document.querySelectorAll('#map .box')].find(b => b.node.asset &&"
               "b.node.name === 'Big.png').id = 'wanted'")
    browser.click("#wanted")
    page.check(crumbs, 2)
    assert "plain/shared/Big.png" in page.text("#details h3")
    page.check("document.querySelector('#wanted').classList.contains('selected')")
    browser.click("#crumbs button")
    page.check(crumbs, 1)
    browser.click("#biggest .link")
    assert "Big.png" in page.text("#details h3")
    page.check("document.activeElement.getAttribute('role')", "treeitem")


def check_keys(page):
    browser = page.browser
    page.value("document.querySelector('#group').value = 'kind';"
               "document.querySelector('#group').dispatchEvent(new Event('change'))")
    page.value("document.querySelector('#map [tabindex=\"0\"]').focus()")
    seen = {page.focus()}
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowDown", "ArrowRight"):
        browser.press(key)
        seen.add(page.focus())
        page.check("document.querySelectorAll('#map [tabindex=\"0\"]').length", 1)
    assert len(seen) >= 3 and all(seen), seen
    came_from = page.focus()
    browser.press("Enter")
    page.check("document.querySelectorAll('#crumbs button').length", 2)
    assert page.focus() and page.focus() != came_from
    # Escape goes to the parent folder, and returns the focus to the earlier box.
    browser.press("Escape")
    page.check("document.querySelectorAll('#crumbs button').length", 1)
    assert page.focus() == came_from, (page.focus(), came_from)
    browser.press("Escape")  # no effect at the top folder
    page.check("document.querySelectorAll('#crumbs button').length", 1)


def check_bundles(page):
    page.value("document.querySelector('#group').value = 'bundle';"
               "document.querySelector('#group').dispatchEvent(new Event('change'))")
    names = page.value("[...document.querySelectorAll('#map > .box')].map(b => b.node.name)")
    assert sorted(names) == ["bundles of prefabs", "shared bundles"], names
    inner = page.value("[...document.querySelectorAll('#map .inner')].map(b => b.node.name)")
    assert any(name.endswith(".mbundle") for name in inner) and "Big.png" in inner, inner


def check_many(page):
    page.value("document.querySelector('#group').value = 'folder';"
               "document.querySelector('#group').dispatchEvent(new Event('change'))")
    page.search("many/0.prefab")
    page.browser.press("Enter")
    assert page.text("#details h3") == "plain/many/0.prefab", page.text("#details h3")
    texts = page.value("[...document.querySelectorAll('#crumbs button')].map(b => b.textContent)")
    assert texts[-2:] == ["many", "21 smaller"], texts
    assert page.focus().startswith("0.prefab, "), page.focus()
    page.browser.press("Escape")
    page.check("document.querySelectorAll('#map > .box').length > 100")


def check_search(page):
    page.search("big")
    page.check("document.querySelectorAll('#hits [role=option]').length", 1)
    page.browser.press("Enter")
    page.check("document.getElementById('hits').hidden")
    chain = page.value("[...document.querySelectorAll('#chain li')].map(e => e.textContent)")
    assert chain[0].startswith("ThingRegistry 1"), chain
    assert chain[1:] == ["plain/one/One.prefab", "plain/shared/Paint.mat",
                         "plain/shared/Big.png"], chain
    assert "Prefabs that need its bundle: 2" in page.text("#details"), page.text("#details")
    # A click on a step of the chain selects that asset.
    page.browser.click("#chain .link")
    assert "One.prefab" in page.text("#details h3")
    page.search("png")
    page.check("document.querySelectorAll('#hits [role=option]').length >= 3")
    page.browser.press("ArrowDown")
    page.check("document.getElementById('search').getAttribute('aria-activedescendant')", "hit-1")
    page.check("document.getElementById('hit-1').getAttribute('aria-selected')", "true")
    page.browser.press("Escape")
    page.check("document.getElementById('hits').hidden")
    page.check("document.activeElement.getAttribute('role')", "treeitem")
    page.search("no such thing")
    assert "nothing found" in page.text("#hits")
    page.browser.press("Escape")
    page.search(guid(4))
    page.browser.press("Enter")
    assert "\u65e5\u672c\u8a9e" in page.text("#details h3")
    assert "plain/two/Small.png" not in page.text("#details")  # no longer in the build
    page.search("onerror")
    page.browser.press("Enter")
    assert "<img src=x onerror=hacked=1>" in page.text("#details h3")
    page.check("document.querySelectorAll('img').length", 0)
    page.check("window.hacked === undefined")


def check_tables(page):
    changed = page.value("[...document.querySelectorAll('#changed tbody tr')].map("
                         "r => r.cells[0].textContent + ' ' + r.cells[1].textContent)")
    assert "plain/shared/Big.png larger" in changed, changed
    assert "plain/one/New.png new" in changed, changed
    assert "plain/two/Small.png gone" in changed, changed
    page.value("document.querySelector('#color').value = 'change';"
               "document.querySelector('#color').dispatchEvent(new Event('change'))")
    assert "larger" in page.text("#legend"), page.text("#legend")
    assert page.text("#kinds").count("texture") == 1
    page.browser.click("#targets button:last-child")
    page.check("document.querySelector('#targets [aria-checked=true]').textContent", "server")
    assert "left" in page.text("#budget")
    # The page lists the stripped assets of the server, and the project's budget for the client.
    stripped = page.value("[...document.querySelectorAll('#stripped tbody tr')].map("
                          "r => r.cells[0].textContent)")
    assert "kind texture" in stripped and "kind material" in stripped, stripped
    assert "of sources stripped" in page.text("#cards"), page.text("#cards")
    page.check("document.querySelectorAll('.card.budget').length", 1)
    page.browser.press("ArrowLeft")
    page.check("document.querySelector('#targets [aria-checked=true]').textContent", "client")
    page.check("document.querySelector('#stripped') === null")
    page.check("document.querySelectorAll('.card.budget').length", 2)
    assert "assets of kind png of the client" in page.text("#cards"), page.text("#cards")
    assert "open for a prefab in the middle" in page.text("#cards"), page.text("#cards")


def check_page(url, dark, shots):
    page = Page(url, dark)
    try:
        light = page.value("getComputedStyle(document.body).backgroundColor.match(/\\d+/g)"
                           ".reduce((sum, part) => sum + Number(part), 0)")
        assert (light < 200) == dark, light
        for check in (check_first_view, check_clicks, check_keys, check_bundles, check_many,
                      check_search, check_tables):
            check(page)
            if shots:
                name = f"{check.__name__}-{'dark' if dark else 'light'}.png"
                page.browser.screenshot(os.path.join(shots, name))
        assert not page.browser.problems, page.browser.problems
        assert page.browser.requested == [url], page.browser.requested
    finally:
        page.browser.close()


def main():
    if browsers.program() is None:
        print("SKIP: there is no Chromium (Debian: chromium)")
        sys.exit(77)
    shots = sys.argv[2] if len(sys.argv) > 2 else None
    work = tempfile.mkdtemp(prefix="muster-report-")
    try:
        url = "file://" + make_page(sys.argv[1], work)
        for dark in (False, True):
            check_page(url, dark, shots)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
