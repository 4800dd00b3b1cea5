"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const kinds = ["prefab", "texture", "mesh", "audio", "animation", "material", "shader", "level",
  "font", "video", "physics", "lighting", "interface", "script", "data", "other"];
const changes = { new: "new", grown: "larger", shrunk: "smaller", gone: "gone", same: "unchanged" };
const boxesMax = 900, childrenMax = 300, hitsMax = 50, rowsMax = 100, labelHeight = 19;

// ---- shared functions

function make(name, properties, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.includes("-") || key === "role") node.setAttribute(key, value);
    else node[key] = value;
  }
  node.append(...children);
  return node;
}
function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0, value = Math.abs(bytes);
  while (value >= 1000 && unit < units.length - 1) { value /= 1000; ++unit; }
  return (bytes < 0 ? "\u2212" : "") + value.toFixed(unit && value < 100 ? 1 : 0) + " " + units[unit];
}
const percent = (part, whole) => (whole ? (100 * part / whole).toFixed(1) : "0.0") + " %";
const signOf = bytes => bytes > 0 ? "more" : bytes < 0 ? "less" : "";
const signed = bytes => (bytes > 0 ? "+" : "") + size(bytes);
// A line may break after each slash of a path.
const pathText = path => path.split("/").flatMap((part, i) =>
  i ? ["/", document.createElement("wbr"), part] : [part]);
const base = path => path.slice(path.lastIndexOf("/") + 1);

// ---- the data of one target

let target, state;
const targets = Object.entries(data.targets).map(([name, raw]) => prepare(name, raw));

function prepare(name, raw) {
  const bundles = raw.bundles.map(([file, kind, bytes, plain, needed, asset, owners, files,
    vain]) => ({ file, kind, bytes, plain, needed, asset, owners, files, vain }));
  const read = ([guid, path, kind, bundle, bytes, plain, by, was]) => ({ guid, path, kind,
    bundle: bundle === null ? null : bundles[bundle], bytes, plain, by, was,
    low: path.toLowerCase() });
  const assets = raw.assets.map(read), gone = raw.gone.map(read);
  const byGuid = new Map();
  for (const asset of assets) {
    if (!byGuid.has(asset.guid)) byGuid.set(asset.guid, []);
    byGuid.get(asset.guid).push(asset);
  }
  return { ...raw, name, bundles, assets, gone, byGuid, compared: raw.was_bytes !== null,
    trees: new Map() };
}
function changeOf(asset) {
  if (asset.was === null) return "new";
  if (asset.bundle === null) return "gone";
  return asset.bytes > asset.was ? "grown" : asset.bytes < asset.was ? "shrunk" : "same";
}

// ---- trees: a node has a name, sums and children; a leaf has an asset

// The names from the root to an asset. The names up to index `fixed` are not folders, and the name
// at index `bundle` is a bundle.
function placeOf(asset, group) {
  const path = asset.path.split("/");
  if (group === "kind") return { names: [asset.kind, ...path], fixed: 0, bundle: -1 };
  if (group === "folder") return { names: path, fixed: -1, bundle: -1 };
  const bundle = asset.bundle, isShared = bundle.kind !== "prefab";
  const above = [isShared ? "shared bundles" : "bundles of prefabs",
    ...(bundle.asset || bundle.file.split("/")[1]).split("/")];
  return { names: [...above, ...path], fixed: 0, bundle: above.length - 1 };
}
function treeOf(group) {
  if (target.trees.has(group)) return target.trees.get(group);
  const root = { name: "all", map: new Map(), bytes: 0, plain: 0, count: 0, parent: null };
  for (const asset of target.assets) {
    const place = placeOf(asset, group);
    let node = root;
    const { names, fixed, bundle } = place;
    names.forEach((name, depth) => {
      node.bytes += asset.bytes; node.plain += asset.plain; ++node.count;
      const isLeaf = depth === names.length - 1;
      const key = isLeaf ? name + "\0" + asset.guid + asset.bundle.file : name;
      let next = node.map.get(key);
      if (!next) {
        next = { name, map: isLeaf ? null : new Map(), bytes: 0, plain: 0, count: 0, parent: node,
          fixed: depth === fixed || depth === bundle };
        node.map.set(key, next);
      }
      node = next;
    });
    Object.assign(node, { asset, bytes: asset.bytes, plain: asset.plain, count: 1 });
  }
  collapse(root);
  target.trees.set(group, root);
  return root;
}
// A folder that contains only one folder is merged with it.
function collapse(node) {
  node.children = (node.map ? [...node.map.values()] : []).map(child => {
    while (!child.fixed && child.map && child.map.size === 1) {
      const only = [...child.map.values()][0];
      if (!only.map) break;
      only.name = child.name + "/" + only.name;
      child = only;
    }
    child.parent = node;
    collapse(child);
    return child;
  });
  node.map = null;
}
const valueOf = node => state.metric === "plain" ? node.plain : node.bytes;

// ---- the map: a squarified treemap (Bruls, Huizing, van Wijk 2000), as deep as space allows

// The largest children. All smaller children are one node, which opens like a folder.
function shownOf(node) {
  if (node.shown && node.shownBy === state.metric) return node.shown;
  const sorted = node.children.filter(child => valueOf(child) > 0)
    .sort((a, b) => valueOf(b) - valueOf(a));
  node.shownBy = state.metric;
  node.shown = sorted;
  if (sorted.length > childrenMax) {
    const children = sorted.slice(childrenMax - 1);
    const sum = key => children.reduce((all, child) => all + child[key], 0);
    node.shown = [...sorted.slice(0, childrenMax - 1), { name: `${children.length} smaller`,
      children, bytes: sum("bytes"), plain: sum("plain"), count: sum("count"), parent: node }]
      .sort((a, b) => valueOf(b) - valueOf(a));
  }
  return node.shown;
}
function squarify(rest, x, y, width, height) {
  const placed = [];
  let left = rest.reduce((sum, node) => sum + valueOf(node), 0);
  let first = 0;
  while (first < rest.length && width > 0.5 && height > 0.5) {
    const side = Math.min(width, height), scale = width * height / left;
    let row = 0, best = Infinity, last = first;
    for (let i = first; i < rest.length; ++i) {
      const sum = row + valueOf(rest[i]) * scale;
      const deep = sum / side;
      const worst = Math.max(deep / (valueOf(rest[i]) * scale / deep),
        valueOf(rest[first]) * scale / deep / deep);
      if (worst > best) break;
      best = worst; row = sum; last = i;
    }
    const deep = row / side;
    let along = 0;
    for (let i = first; i <= last; ++i) {
      const length = valueOf(rest[i]) * scale / deep;
      placed.push(width >= height ? { node: rest[i], x, y: y + along, w: deep, h: length }
        : { node: rest[i], x: x + along, y, w: length, h: deep });
      along += length;
      left -= valueOf(rest[i]);
    }
    if (width >= height) { x += deep; width -= deep; } else { y += deep; height -= deep; }
    first = last + 1;
  }
  return placed;
}
function colorOf(node) {
  let of = node;
  if (!of.asset) {
    // A group has the color of its largest kind.
    if (node.main && node.mainOf === state.metric) of = node.main;
    else {
      while (!of.asset && of.children.length) {
        of = of.children.reduce((a, b) => valueOf(b) > valueOf(a) ? b : a);
      }
      node.main = of; node.mainOf = state.metric;
    }
  }
  if (!of.asset) return "var(--other)";
  return `var(--${state.color === "change" && target.compared ? changeOf(of.asset) : of.asset.kind})`;
}
const labelOf = node => `${node.name}, ${size(valueOf(node))}, ${percent(valueOf(node),
  valueOf(treeOf(state.group)))}` + (node.asset ? "" : `, ${node.count} assets`);

const isRoomy = (node, w, h) => !node.asset && w > 64 && h > 52;

function drawMap() {
  const map = byId("map");
  state.left = boxesMax;
  state.places = [];
  state.boxes = new Map();
  for (const place of squarify(shownOf(state.node), 0, 0, map.clientWidth, map.clientHeight)) {
    const { node, w, h } = place;
    if (state.left <= 0 || w < 2 || h < 2) break;
    place.box = drawBox(place, "", { role: "treeitem", tabIndex: -1,
      "aria-label": labelOf(node), "aria-selected": String(node === state.selected) });
    if (!node.asset) place.box.setAttribute("aria-expanded", "false");
    state.places.push(place);
  }
  // Draws level by level, so that the limit of boxes leaves out only small boxes.
  let level = state.places;
  while (level.length) level = level.flatMap(drawInside);
  map.replaceChildren(...state.places.map(place => place.box));
  const focus = state.places.find(place => place.node === state.focus) || state.places[0];
  if (focus) { focus.box.tabIndex = 0; state.focus = focus.node; }
  drawCrumbs();
}
function drawBox({ node, x, y, w, h }, more, properties) {
  const roomy = isRoomy(node, w, h);
  const box = make("div", { className: "box" + more + (roomy ? " group" : ""), title: labelOf(node),
    ...properties });
  box.node = node;
  state.boxes.set(node, box);
  if (node === state.selected) box.classList.add("selected");
  Object.assign(box.style, { left: x + "px", top: y + "px", width: w + "px", height: h + "px" });
  if (!roomy) box.style.background = colorOf(node);
  if (w > 34 && h > 18) {
    box.append(make("span", { className: "name" }, make("bdi", { textContent: node.name }),
      roomy ? "  " + size(valueOf(node)) : ""));
  }
  if (!roomy && w > 48 && h > 34) {
    box.append(make("span", { className: "size", textContent: size(valueOf(node)) }));
  }
  --state.left;
  return box;
}
function drawInside({ node, w, h, box }) {
  if (!isRoomy(node, w, h)) return [];
  const inside = [];
  for (const place of squarify(shownOf(node), 2, labelHeight, w - 6, h - labelHeight - 4)) {
    if (state.left <= 0 || place.w < 3 || place.h < 3) break;
    place.box = drawBox(place, " inner", { "aria-hidden": "true" });
    box.append(place.box);
    inside.push(place);
  }
  return inside;
}
function drawCrumbs() {
  const way = [];
  for (let node = state.node; node; node = node.parent) way.unshift(node);
  byId("crumbs").replaceChildren(...way.flatMap((node, i) => {
    const button = make("button", { type: "button", textContent: node.name,
      disabled: node === state.node, onclick: () => open(node, true) });
    return i ? [make("i", { textContent: "\u203a" }), button] : [button];
  }), make("span", { className: "muted", textContent:
    `\u00a0 ${size(valueOf(state.node))}, ${state.node.count} assets` }));
}

// ---- navigation

function open(node, takesFocus, focus) {
  if (node.asset) return select(node);
  state.node = node;
  state.focus = focus || null;
  drawMap();
  showGroup(node);
  if (takesFocus) focusBox();
}
function focusBox() {
  const place = state.places.find(each => each.node === state.focus);
  if (place) place.box.focus();
}
function moveFocus(node) {
  for (const place of state.places) place.box.tabIndex = place.node === node ? 0 : -1;
  state.focus = node;
  focusBox();
}
function select(node) {
  for (const [each, box] of state.boxes) {
    box.classList.toggle("selected", each === node);
    if (box.hasAttribute("role")) box.setAttribute("aria-selected", String(each === node));
  }
  state.selected = node;
  showAsset(node.asset);
}
function goBack() {
  if (!state.node.parent) return;
  open(state.node.parent, true, state.node);
}
function neighbor(key) {
  const from = state.places.find(place => place.node === state.focus);
  if (!from) return null;
  const middle = place => [place.x + place.w / 2, place.y + place.h / 2];
  const [fx, fy] = middle(from);
  let best = null, bestCost = Infinity;
  for (const place of state.places) {
    if (place === from) continue;
    const [x, y] = middle(place);
    const ahead = { ArrowLeft: from.x - (place.x + place.w), ArrowRight: place.x - (from.x + from.w),
      ArrowUp: from.y - (place.y + place.h), ArrowDown: place.y - (from.y + from.h) }[key];
    if (ahead < -1) continue;
    const isFlat = key === "ArrowLeft" || key === "ArrowRight";
    const beside = isFlat ? Math.max(0, place.y - fy, fy - place.y - place.h)
      : Math.max(0, place.x - fx, fx - place.x - place.w);
    const cost = ahead + 3 * beside + 0.001 * (isFlat ? Math.abs(y - fy) : Math.abs(x - fx));
    if (cost < bestCost) { best = place; bestCost = cost; }
  }
  return best && best.node;
}
byId("map").addEventListener("keydown", event => {
  if (event.key.startsWith("Arrow")) {
    const next = neighbor(event.key);
    if (next) moveFocus(next);
  } else if (event.key === "Enter" || event.key === " ") {
    if (state.focus) open(state.focus, true);
  } else if (event.key === "Escape" || event.key === "Backspace") {
    goBack();
  } else if (event.key === "Home" || event.key === "End") {
    if (state.places.length) moveFocus(state.places.at(event.key === "Home" ? 0 : -1).node);
  } else return;
  event.preventDefault();
});
// Selects an asset in the map, or opens a group.
byId("map").addEventListener("click", event => {
  const box = event.target.closest(".box");
  if (!box) return;
  if (!box.node.asset) return open(box.node, true);
  moveFocus(event.target.closest("[role=treeitem]").node);
  select(box.node);
});
byId("map").addEventListener("contextmenu", event => { event.preventDefault(); goBack(); });
addEventListener("resize", () => drawMap());
document.addEventListener("keydown", event => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  byId("search").focus();
  byId("search").select();
});

// ---- the chain that adds an asset to the build

// The chain of references from the asset to an asset that a registry names.
function chainOf(asset) {
  const chain = [asset.guid], seen = new Set(chain);
  for (let at = asset; at && at.by && !seen.has(at.by);) {
    chain.push(at.by);
    seen.add(at.by);
    at = (target.byGuid.get(at.by) || [])[0];
  }
  return chain.reverse();
}
const pathOf = guid => ((target.byGuid.get(guid) || [])[0] || { path: guid }).path;
function assetLink(guid) {
  const found = (target.byGuid.get(guid) || [])[0];
  if (!found) return make("code", { textContent: guid });
  return linkTo(found);
}
function reveal(asset) {
  let node = treeOf(state.group);
  const find = from => {
    if (from.asset === asset) return from;
    for (const child of from.children) {
      const found = find(child);
      if (found) return found;
    }
    return null;
  };
  node = find(node);
  if (!node) return;
  // A small asset may be inside the node for small assets. If so, this node is opened.
  state.node = node.parent;
  while (!shownOf(state.node).includes(node)) {
    const smaller = shownOf(state.node).find(each => !each.asset && each.children.includes(node));
    if (!smaller) break;  // it has no bytes
    state.node = smaller;
  }
  state.focus = node;
  state.selected = node;
  drawMap();
  select(node);
  focusBox();
  byId("map").scrollIntoView({ block: "nearest" });
}
function facts(rows) {
  return make("dl", {}, ...rows.flatMap(([name, value]) =>
    [make("dt", { textContent: name }), make("dd", {}, value)]));
}
function listOf(items, limit = 12) {
  const list = make("ul", {}, ...items.slice(0, limit).map(item => make("li", {}, item)));
  if (items.length > limit) {
    list.append(make("li", { className: "muted", textContent: `and ${items.length - limit} more` }));
  }
  return list;
}
function showAsset(asset) {
  const rows = [["kind", asset.kind],
    ["compressed", `${size(asset.bytes)} (${percent(asset.bytes, target.bytes)})`],
    ["before that", size(asset.plain)]];
  if (target.compared) {
    rows.push(["before", asset.was === null ? "not there"
      : `${size(asset.was)} (${signed(asset.bytes - asset.was)})`]);
  }
  rows.push(["bundle", asset.bundle ? `${asset.bundle.file} (${size(asset.bundle.bytes)})` : "none"]);
  rows.push(["guid", make("code", { textContent: asset.guid })]);
  const parts = [make("h3", {}, ...pathText(asset.path)), facts(rows)];
  const chain = chainOf(asset), first = chain[0];
  parts.push(make("h3", { textContent: "Pulled in by" }));
  const registered = target.registrations[first] || [];
  parts.push(make("ol", { id: "chain" },
    ...(registered.length ? [make("li", { textContent: registered.map(([name, id, role]) =>
      `${name} ${id}${role ? " (" + role + ")" : ""}`).join(", ") })]
      : [make("li", { className: "muted", textContent: "a registry itself" })]),
    ...chain.map(guid => make("li", {}, guid === asset.guid ? make("b", {}, ...pathText(pathOf(guid)))
      : assetLink(guid)))));
  const owners = asset.bundle ? asset.bundle.owners : [];
  if (owners.length > 1 || (owners.length === 1 && owners[0] !== asset.guid)) {
    parts.push(make("h3", { textContent: `Prefabs that need its bundle: ${owners.length}` }),
      listOf(owners.map(assetLink)));
  }
  const others = (target.byGuid.get(asset.guid) || []).filter(each => each !== asset);
  if (others.length) {
    parts.push(make("h3", { textContent: "Also in" }), listOf(others.map(each => each.bundle.file)));
  }
  const copies = target.copies.find(each => each.paths.includes(asset.path));
  if (copies) {
    parts.push(make("h3", { textContent: "Equal to" }),
      listOf(copies.paths.filter(path => path !== asset.path)));
  }
  byId("details").replaceChildren(...parts);
}
function showGroup(node) {
  const biggest = [];
  const collect = from => from.asset ? biggest.push(from) : from.children.forEach(collect);
  collect(node);
  biggest.sort((a, b) => valueOf(b) - valueOf(a));
  byId("details").replaceChildren(make("h3", { textContent: node.name }),
    facts([["compressed", `${size(node.bytes)} (${percent(node.bytes, treeOf(state.group).bytes)})`],
      ["before that", size(node.plain)], ["assets", String(node.count)]]),
    make("h3", { textContent: "Biggest in here" }),
    listOf(biggest.slice(0, 10).map(leaf => make("span", {}, make("button", { type: "button",
      className: "link", textContent: base(leaf.asset.path), title: leaf.asset.path,
      onclick: () => reveal(leaf.asset) }), make("span", { className: "muted",
      textContent: " " + size(valueOf(leaf)) })))));
}

// ---- search

const search = byId("search"), hits = byId("hits");
let found = [], chosen = -1;
function closeHits() {
  hits.hidden = true;
  chosen = -1;
  search.setAttribute("aria-expanded", "false");
  search.removeAttribute("aria-activedescendant");
}
function choose(index) {
  chosen = index;
  [...hits.children].forEach((item, i) => {
    item.setAttribute("aria-selected", String(i === index));
    if (i === index) item.scrollIntoView({ block: "nearest" });
  });
  if (index >= 0) search.setAttribute("aria-activedescendant", "hit-" + index);
}
function take(index) {
  const asset = found[index];
  closeHits();
  if (asset) reveal(asset);
}
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return closeHits();
  found = target.assets.filter(asset =>
    words.every(word => asset.low.includes(word) || asset.guid.startsWith(word)));
  found.sort((a, b) => b.bytes - a.bytes);
  const shown = found.slice(0, hitsMax).map((asset, i) => make("li", { id: "hit-" + i, role: "option",
    "aria-selected": "false", onmousedown: event => { event.preventDefault(); take(i); } },
    make("span", { textContent: asset.path }), make("span", { textContent: size(asset.bytes) })));
  if (!found.length) shown.push(make("li", { className: "muted", textContent: "nothing found" }));
  else if (found.length > hitsMax) {
    shown.push(make("li", { className: "muted", textContent: `${found.length - hitsMax} more` }));
  }
  hits.replaceChildren(...shown);
  hits.hidden = false;
  search.setAttribute("aria-expanded", "true");
  choose(found.length ? 0 : -1);
});
search.addEventListener("keydown", event => {
  const last = Math.min(found.length, hitsMax) - 1;
  if (event.key === "ArrowDown" && !hits.hidden) choose(Math.min(last, chosen + 1));
  else if (event.key === "ArrowUp" && !hits.hidden) choose(Math.max(0, chosen - 1));
  else if (event.key === "Enter" && !hits.hidden) take(chosen);
  else if (event.key === "Escape") {
    search.value = "";
    closeHits();
    focusBox();
  } else return;
  event.preventDefault();
});
search.addEventListener("blur", closeHits);

// ---- totals and tables

function card(value, text, ...more) {
  return make("div", { className: "card" }, make("b", { textContent: value }),
    make("span", { textContent: text }), ...more);
}
// A card with the used part of a budget.
function budgetCard(bytes, budget, what, id) {
  const over = bytes > budget;
  const line = make("i", {});
  line.style.width = Math.min(100, 100 * bytes / Math.max(1, budget)) + "%";
  return make("div", { className: "card budget", id: id || "" },
    make("b", { className: over ? "more" : "less",
      textContent: over ? size(bytes - budget) + " over" : size(budget - bytes) + " left" }),
    make("span", { textContent: `of a budget of ${size(budget)}${what}` }),
    make("div", { className: "meter" + (over ? " over" : ""), role: "img",
      "aria-label": percent(bytes, budget) + " of the budget" }, line));
}
const hasVariants = () => target.bundles.some(bundle => bundle.kind === "variant");
function drawCards() {
  const cards = [card(size(target.bytes), `in ${target.bundles.length} bundles`),
    card(size(target.plain_bytes), "before compression"),
    card(size(target.duplicate_bytes_avoided), "of sources not stored again")];
  if (data.layout !== "self-contained") {
    cards.push(card("about " + size(target.self_contained_bytes),
      `in self-contained bundles (${(target.self_contained_bytes / Math.max(1, target.bytes))
        .toFixed(2)} \u00d7)`));
  }
  if (target.sharing) {
    const { files, vain_source_bytes: vain, beyond, files_max: most } = target.sharing;
    cards.push(card(`${files.median} files`, `open for a prefab in the middle, ${files.max} at most`
      + (beyond.length ? `; ${beyond.length} need more than ${most}` : "")),
    card(size(vain.median), `of unneeded sources loaded (median), ${size(vain.max)} at most`
      + (hasVariants() ? "; of variants the default" : "")));
  }
  if (target.stripped.source_bytes || target.stripped.components.length) {
    const sum = (rows, key) => rows.reduce((all, row) => all + row[key], 0);
    cards.push(card(size(target.stripped.source_bytes), "of sources stripped: "
      + `${sum(target.stripped.assets, "count")} assets; and `
      + `${sum(target.stripped.components, "count")} components`));
  }
  if (target.compared) {
    const change = target.bytes - target.was_bytes;
    cards.push(make("div", { className: "card" }, make("b", { className: signOf(change),
      textContent: signed(change) }), make("span", { textContent: `since ${size(target.was_bytes)}` })));
  }
  if (target.budget_bytes !== null) {
    cards.push(budgetCard(target.bytes, target.budget_bytes, "", "budget"));
  }
  for (const budget of target.budgets) {
    cards.push(budgetCard(budget.bytes, budget.budget_bytes, " for " + budget.what));
  }
  byId("cards").replaceChildren(...cards);
}
// Columns are [heading, isNumber]; cells are texts or nodes.
function table(id, title, columns, rows, note) {
  const head = make("tr", {}, ...columns.map(([name, isNumber]) => make("th", { scope: "col",
    className: isNumber ? "number" : "", textContent: name })));
  const body = rows.slice(0, rowsMax).map(cells => make("tr", {}, ...cells.map((cell, i) =>
    make("td", { className: columns[i][1] ? "number" : "" }, cell))));
  const panel = make("section", { className: "panel", id, "aria-label": title },
    make("h2", { textContent: title }), make("div", { className: "scroll", tabIndex: 0 },
      make("table", {}, make("thead", {}, head), make("tbody", {}, ...body))));
  const more = rows.length > rowsMax ? `${rows.length - rowsMax} more. ` : "";
  if (more || note) panel.append(make("p", { className: "muted", textContent: more + (note || "") }));
  return panel;
}
const linkTo = asset => make("button", { type: "button", className: "link",
  onclick: () => reveal(asset) }, ...pathText(asset.path));
function kindTable() {
  const sums = new Map();
  for (const asset of target.assets) {
    const sum = sums.get(asset.kind) || { kind: asset.kind, bytes: 0, plain: 0, count: 0 };
    sum.bytes += asset.bytes; sum.plain += asset.plain; ++sum.count;
    sums.set(asset.kind, sum);
  }
  const sorted = [...sums.values()].sort((a, b) => b.bytes - a.bytes);
  return table("kinds", "Kinds", [["kind", false], ["assets", true], ["compressed", true],
    ["share", true]], sorted.map(sum => {
    const bar = make("i", { className: "bar" });
    bar.style.width = 100 * sum.bytes / Math.max(1, sorted[0].bytes) + "%";
    bar.style.background = `var(--${sum.kind})`;
    return [make("span", {}, sum.kind, bar), String(sum.count), size(sum.bytes),
      percent(sum.bytes, target.bytes)];
  }));
}
function drawTables() {
  const tables = [];
  if (target.compared) {
    const moved = [...target.assets, ...target.gone].filter(asset => changeOf(asset) !== "same")
      .map(asset => ({ asset, by: asset.bytes - (asset.was || 0) }))
      .sort((a, b) => Math.abs(b.by) - Math.abs(a.by));
    tables.push(table("changed", "Changed", [["asset", false], ["", true], ["bytes", true]],
      moved.map(({ asset, by }) => [asset.bundle ? linkTo(asset) : make("span", {}, ...pathText(asset.path)),
        changes[changeOf(asset)], make("span", { className: signOf(by),
          textContent: signed(by) })]), moved.length ? "" : "No asset has changed in size."));
  }
  tables.push(kindTable());
  const biggest = [...target.assets].sort((a, b) => b.bytes - a.bytes);
  tables.push(table("biggest", "Biggest assets", [["asset", false], ["compressed", true],
    ["share", true]], biggest.slice(0, rowsMax).map(asset => [linkTo(asset), size(asset.bytes),
    percent(asset.bytes, target.bytes)])));
  const bundles = [...target.bundles].sort((a, b) => b.needed - a.needed);
  tables.push(table("bundles", "Bundles", [["bundle", false], ["bytes", true], ["with all needed", true],
    ["files", true], ["unneeded sources", true]],
  bundles.map(bundle => [make("span", {}, ...pathText(bundle.asset || bundle.file)),
    size(bundle.bytes), size(bundle.needed), String(bundle.files),
    bundle.vain === null ? "" : size(bundle.vain)]), hasVariants()
    ? "For assets with variants, the default counts as needed; a variant's row counts the variant." : ""));
  if (target.stripped.assets.length || target.stripped.components.length) {
    const rows = [...target.stripped.assets.map(row => [row.rule, row]),
      ...target.stripped.components.map(row => ["component " + row.rule, row])];
    tables.push(table("stripped", "Stripped", [["rule", false], ["how many", true], ["source bytes", true]],
      rows.map(([name, row]) => [name, String(row.count), size(row.source_bytes)])));
  }
  tables.push(table("copies", "Equal files under several guids", [["files", false], ["wasted", true]],
    target.copies.map(copy => [copy.paths.slice(0, 6).join(", ") + (copy.paths.length > 6
      ? ` and ${copy.paths.length - 6} more` : ""), size(copy.bytes * (copy.paths.length - 1))]),
    target.copies.length ? "" : "There are none."));
  if (target.slowest.length) {
    tables.push(table("slowest", "Slowest to pack, last time", [["bundle", false], ["time", true]],
      target.slowest.map(slow => [slow.path, slow.ms.toFixed(1) + " ms"])));
  }
  byId("tables").replaceChildren(...tables);
}
function drawLegend() {
  const isChange = state.color === "change" && target.compared;
  const present = new Set(target.assets.map(asset => isChange ? changeOf(asset) : asset.kind));
  const names = isChange ? Object.keys(changes) : kinds;
  byId("legend").replaceChildren(...names.filter(name => present.has(name)).map(name => {
    const swatch = make("i", {});
    swatch.style.background = `var(--${name})`;
    return make("span", {}, swatch, isChange ? changes[name] : name);
  }));
}

// ---- the whole page

function show(next) {
  target = next;
  for (const button of byId("targets").children) {
    const isShown = button.textContent === target.name;
    button.setAttribute("aria-checked", String(isShown));
    button.tabIndex = isShown ? 0 : -1;
  }
  state.selected = null;
  byId("color-label").hidden = !target.compared;
  drawCards();
  drawTables();
  restart();
}
function restart() {
  drawLegend();
  open(treeOf(state.group), false);
}
state = { group: "folder", metric: "bytes", color: "kind", node: null, focus: null, selected: null,
  places: [] };
for (const key of ["group", "metric", "color"]) {
  byId(key).addEventListener("change", event => { state[key] = event.target.value; restart(); });
}
byId("title").textContent = document.title = (data.project || "Build") + ": where the bytes are";
byId("targets").append(...targets.map(each => make("button", { type: "button", role: "radio",
  textContent: each.name, onclick: () => show(each) })));
byId("targets").addEventListener("keydown", event => {
  if (!event.key.startsWith("Arrow")) return;
  const all = [...byId("targets").children], at = all.indexOf(document.activeElement);
  const step = event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : all.length - 1;
  const next = all[(at + step) % all.length];
  next.click();
  next.focus();
  event.preventDefault();
});
if (targets.length) show(targets[0]);
