"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  // A text in the page's language; {1} is the first value.
  const say = (text, ...values) => (data.texts[text] ?? text).replace(/\{(\d)\}/g, (place, number) => values[number - 1] ?? place);
  const raise = (text) => text.replace(/([ (]mm)([23])/g, (unit, length, power) => length + (power === "2" ? "\u00b2" : "\u00b3"));
  const localized = (number) => number.replace(".", data.texts["decimal sign"]);
  const show = (value) => value === null ? "" : localized(String(Number.isInteger(value) ? value : Number(value.toPrecision(4))));
  // With four digits throughout, for columns of measures.
  const align = (value) => value === null ? "" : Math.abs(value) < 1e4 ? localized(value.toPrecision(4)) : String(Math.round(value));
  const compare = (a, b) => a === b ? 0 : a === null ? 1 : b === null ? -1 :
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });

  // A head whose buttons sort. `apply(column, isDescending)` does it.
  const makeSortable = (head, apply) => {
    for (const [column, cell] of Array.from(head.cells).entries()) {
      const button = element("button", cell.textContent, { type: "button" });
      cell.textContent = "";
      cell.append(button);
      button.addEventListener("click", () => {
        const isDescending = cell.getAttribute("aria-sort") === "ascending";
        for (const other of head.cells) other.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
        apply(column, isDescending);
      });
    }
  };

  // The command that shows an item again, with its label map and the settings of the recipe. This page is in the batch's folder.
  const forShell = (word) => /^[\w./:,+=-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
  const own = location.protocol === "file:" ? decodeURIComponent(location.pathname).replace(/[^/]*$/, "").replace(/^\/([A-Za-z]:)/, "$1") : "";
  for (const button of document.querySelectorAll("button.open")) {
    const { scan, folder, series, outputs } = button.dataset;
    const labels = outputs.split(" ").find((name) => name.startsWith("labels."));
    const words = ["brickccl", "view", series ? scan.replace(/\/[^/]*$/, "") : scan, ...(labels ? [own + folder + "/" + labels] : []), "--recipe", own + "recipe.toml", ...(series ? ["--series", series] : [])];
    button.addEventListener("click", () => {
      button.nextElementSibling.textContent = words.map(forShell).join(" ");
      button.nextElementSibling.hidden = false;
      getSelection().selectAllChildren(button.nextElementSibling);
      navigator.clipboard?.writeText(words.map(forShell).join(" ")).catch(() => {});
    });
  }

  // A comparison has no items: the choice is among the changes. A column is drawn from the sizes.
  const isSize = (column) => /_(mm|mm2|mm3|mm4)_\d+$/.test(column);
  if (data.scans) {
    Object.assign(data, { rules: [], slices: [] });
    const { columns, rows } = data.defects;
    const changes = ["new", "grown", "vanished", "merged", "split", "shrunk", "same"];
    const found = changes.filter((change) => rows.some((row) => row[1] === change));
    data.items = found.map((change) => say(change));
    // Columns of scans end in the number of the scan.
    data.defects.names = columns.map((column) => {
      const [, name, scan] = column.match(/^(.*?)(?:_(\d+))?$/);
      const [, word, unit] = name.match(/^(.*?)(?:_(mm\d?))?$/);
      return (data.texts[name] ?? word.replaceAll("_", " ")) + (unit ? " (" + unit + ")" : "") + (scan ? ", " + say("scan {1}", scan) : "");
    });
    data.defects.names.splice(2, 0, say("sizes"));
    for (const row of rows) {
      row[1] = found.indexOf(row[1]);
      row.splice(2, 0, row.filter((value, place) => isSize(columns[place])));
    }
    columns.splice(2, 0, "sizes");
    if (data.defects.all === rows.length) delete data.defects.all;
  }

  // The items: rows of the page itself, sorted and hidden in place.
  if ($("item-table")) {
    const itemBody = $("item-table").tBodies[0];
    const valueOf = (row, column) => {
      const text = row.cells[column].dataset.value ?? row.cells[column].textContent;
      return text === "" ? null : isNaN(Number(text)) ? text : Number(text);
    };
    makeSortable($("item-table").tHead.rows[0], (column, isDescending) => {
      const rows = Array.from(itemBody.rows);
      rows.sort((a, b) => {
        const [x, y] = [valueOf(a, column), valueOf(b, column)];
        return x === null || y === null || !isDescending ? compare(x, y) : compare(y, x);
      });
      itemBody.append(...rows);
    });
    const filterItems = () => {
      const text = $("item-filter").value.toLowerCase();
      const verdict = $("item-verdict").value;
      let count = 0;
      for (const row of itemBody.rows) {
        const isShown = row.textContent.toLowerCase().includes(text) && (verdict === "" || row.dataset.verdict === verdict);
        row.hidden = !isShown;
        count += isShown ? 1 : 0;
      }
      $("item-count").textContent = say("{1} of {2} items", count, itemBody.rows.length);
    };
    $("item-filter").addEventListener("input", filterItems);
    $("item-verdict").addEventListener("change", filterItems);
    filterItems();
  }

  // The slices of an item: one picture holds them all, and a window shows one of them.
  const scrolls = data.slices.map((slices, item) => {
    const range = $("slice-" + item);
    if (slices === null || range === null) return null;
    const section = range.closest("section");
    const tile = section.querySelector(".tile");
    const picture = tile.querySelector("img");
    const last = slices.places.length - 1;
    range.max = last;
    tile.style.aspectRatio = slices.tile.join("/");
    picture.style.width = 100 * slices.columns + "%";
    const showSlice = (index) => {
      const at = Math.min(Math.max(index, 0), last);
      range.value = at;
      picture.style.left = -100 * (at % slices.columns) + "%";
      picture.style.top = -100 * Math.floor(at / slices.columns) + "%";
      const text = slices.axis + " = " + slices.places[at];
      range.setAttribute("aria-valuetext", text);
      section.querySelector("output").textContent = text + " (" + say("{1} of {2}", at + 1, last + 1) + ")";
    };
    range.addEventListener("input", () => showSlice(Number(range.value)));
    for (const button of section.querySelectorAll("button")) {
      button.addEventListener("click", () => showSlice(Number(range.value) + Number(button.dataset.step)));
    }
    // A drag across the picture runs through the slices; the wheel does so once the slices have the focus.
    const drag = (event) => {
      const box = tile.getBoundingClientRect();
      showSlice(Math.round((event.clientX - box.left) / box.width * last));
    };
    tile.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      tile.setPointerCapture(event.pointerId);
      range.focus({ preventScroll: true });
      drag(event);
    });
    tile.addEventListener("pointermove", (event) => { if (event.buttons === 1) drag(event); });
    tile.addEventListener("wheel", (event) => {
      if (!section.contains(document.activeElement)) return;
      event.preventDefault();
      showSlice(Number(range.value) + Math.sign(event.deltaY));
    }, { passive: false });
    showSlice(0);
    // Shows the slice that is nearest to a place; not all slices are in the page.
    return (place) => {
      let nearest = 0;
      slices.places.forEach((each, index) => {
        if (Math.abs(each - place) < Math.abs(slices.places[nearest] - place)) nearest = index;
      });
      showSlice(nearest);
      return range;
    };
  });
  const jumpTo = (item, place) => {
    const range = scrolls[item]?.(place);
    $("item-" + item).scrollIntoView();
    range?.focus({ preventScroll: true });
    range?.closest("section").scrollIntoView({ block: "nearest" });
  };
  const jumps = Array.from(document.querySelectorAll(".thumbnails button"));
  for (const button of jumps) {
    button.addEventListener("click", () => jumpTo(Number(button.dataset.item), Number(button.dataset.slice)));
  }
  // At first a page shows the slice of an item's largest defect.
  for (const button of jumps.slice().reverse()) scrolls[Number(button.dataset.item)]?.(Number(button.dataset.slice));

  // The defects: only one page of rows is in the document, so that many thousands stay fluent.
  const { columns, rows } = data.defects;
  // The columns that are shown at first: all but boxes, places and what programs want.
  const minor = data.scans ? /^(label|voxel_count)_/ : /^(bbox|centroid|first_voxel|equivalent_spherical_radius|covariance|principal|touches)_/;
  const main = columns.filter((column) => !minor.test(column));
  // The limits of rules that a histogram can show.
  const limits = data.rules.map((rule) => ({ column: rule.rule === "spacing" ? "nearest_distance_mm" : rule.column,
    name: rule.name, limit: rule.limit })).filter((limit) => limit.column !== "");
  const names = data.defects.names.map(raise);
  const unitOf = (name) => (name.match(/ \(([^()]*)\)$/) ?? ["", ""])[1];
  if (rows.length === 0) return;
  const pageSize = 25;
  let shown = rows;
  let page = 0;
  const head = $("defect-table").tHead.rows[0];
  const isMeasure = columns.map((column, place) => place > 0 && rows.some((row) => row[place] !== null && !Number.isInteger(row[place])));
  // Some columns are shown on demand, and paper has room for eight.
  const isText = (column) => column === (data.scans ? "change" : "item");
  const kinds = columns.map((column) => (isText(column) || column === "sizes" ? "" : "number") +
    (!main.includes(column) ? " minor" : main.indexOf(column) > 7 && !data.scans ? " far" : ""));
  columns.forEach((column, place) => {
    head.append(element("th", names[place], { scope: "col", title: column, class: kinds[place] }));
    if (!isText(column) && column !== "sizes") {
      for (const id of ["defect-column", "histogram-column"]) {
        $(id)?.append(element("option", names[place], { value: column, title: column }));
      }
    }
  });
  for (const item of data.items) {
    $("defect-item").append(element("option", item));
    $("histogram-item")?.append(element("option", item));
  }
  const chosen = limits.map((limit) => limit.column).find((column) => columns.includes(column)) ??
    columns.find((column) => column.startsWith("equivalent_")) ?? columns.findLast(isSize) ?? columns[1];
  for (const id of ["defect-column", "histogram-column"]) if ($(id)) $(id).value = chosen;

  // The sizes of a defect in all scans as a curve; it has a gap where the defect is missing.
  const drawSizes = (sizes) => {
    const make = (kind, attributes) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      return made;
    };
    const svg = make("svg", { class: "sizes", viewBox: "0 0 92 24", role: "img",
      "aria-label": say("sizes") + ": " + sizes.map((size) => size === null ? say("not there") : show(size)).join("; ") });
    const most = Math.max(...sizes);
    const at = sizes.map((size, i) => [4 + 84 * i / (sizes.length - 1), 20 - 16 * size / most].map((value) => value.toFixed(1)));
    let line = [];
    sizes.forEach((size, i) => {
      if (size !== null) {
        line.push(at[i].join());
        svg.append(make("circle", { cx: at[i][0], cy: at[i][1], r: 2 }));
      }
      if (size === null || i + 1 === sizes.length) {
        if (line.length > 1) svg.append(make("polyline", { points: line.join(" ") }));
        line = [];
      }
    });
    return svg;
  };

  const showColumns = () => {
    const isAll = $("defect-all").checked;
    for (const cell of $("defect-table").querySelectorAll(".minor")) cell.hidden = !isAll;
  };
  const showPage = () => {
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    page = Math.min(Math.max(page, 0), pages - 1);
    const body = document.createDocumentFragment();
    for (const row of shown.slice(page * pageSize, (page + 1) * pageSize)) {
      const line = element("tr");
      for (const [i, value] of row.entries()) {
        if (columns[i] === "item") {
          const cell = element("td", undefined, { class: "name" });
          cell.append(element("a", data.items[value], { href: "#item-" + value }));
          line.append(cell);
        } else if (isText(columns[i])) {
          line.append(element("td", data.items[value]));
        } else {
          const cell = element("td", undefined, { class: kinds[i] });
          if (columns[i] === "slice" && value !== null && scrolls[row[0]]) {
            const link = element("a", show(value), { href: "#item-" + row[0], "aria-label": say("slice {1} of {2}", value, data.items[row[0]]) });
            link.addEventListener("click", (event) => { event.preventDefault(); jumpTo(row[0], value); });
            cell.append(link);
          } else if (columns[i] === "sizes") {
            cell.append(drawSizes(value));
          } else if (columns[i] === "track" && $("track-" + value)) {
            cell.append(element("a", value, { href: "#track-" + value }));
          } else {
            cell.textContent = isMeasure[i] ? align(value) : show(value);
          }
          line.append(cell);
        }
      }
      body.append(line);
    }
    $("defect-table").tBodies[0].replaceChildren(body);
    const which = data.defects.all ? say(data.scans ? "{1} (of {2}, those that changed most)" : "{1} (the largest of {2})", rows.length, data.defects.all) : rows.length;
    $("defect-count").textContent = say("{1} of {2} defects, page {3} of {4}", shown.length, which, page + 1, pages);
    // Paper has the rows of this page alone.
    const isPart = shown.length > pageSize || data.defects.all;
    const isLargest = page === 0 && order.isDescending && columns[order.column] === "voxel_count";
    $("defect-paper").textContent = !isPart ? "" : data.scans ? say("{1} of {2} defects; --tracks writes all",
      Math.min(pageSize, shown.length - page * pageSize), data.defects.all ?? shown.length) : say(isLargest ? "the {1} largest of {2} defects; all are in defects.csv" :
      "{1} of {2} defects; all are in defects.csv", Math.min(pageSize, shown.length - page * pageSize), data.defects.all ?? shown.length);
    $("defect-before").disabled = page === 0;
    $("defect-after").disabled = page === pages - 1;
    showColumns();
  };
  // The largest come first, or those that changed most.
  let order = { column: columns.indexOf("voxel_count"), isDescending: true };
  const choice = columns.findIndex(isText);
  const filterDefects = () => {
    const item = $("defect-item").selectedIndex - 1;
    const column = columns.indexOf($("defect-column").value);
    const [least, most] = ["defect-least", "defect-most"].map((id) => $(id).value === "" ? null : Number($(id).value));
    shown = rows.filter((row) => (item < 0 || row[choice] === item) &&
      (least === null || (row[column] !== null && row[column] >= least)) &&
      (most === null || (row[column] !== null && row[column] <= most)));
    const read = order.column === choice ? (row) => data.items[row[choice]] : Array.isArray(rows[0][order.column]) ?
      (row) => Math.max(...row[order.column]) : (row) => row[order.column];
    if (order.column >= 0) shown = shown.slice().sort((a, b) => {
      const [x, y] = [read(a), read(b)];
      return x === null || y === null || !order.isDescending ? compare(x, y) : compare(y, x);
    });
    page = 0;
    showPage();
  };
  makeSortable(head, (column, isDescending) => {
    order = { column, isDescending };
    filterDefects();
  });
  head.cells[order.column]?.setAttribute("aria-sort", "descending");
  for (const id of ["defect-item", "defect-column", "defect-least", "defect-most"]) {
    $(id).addEventListener("input", filterDefects);
  }
  $("defect-all").addEventListener("change", showColumns);
  $("defect-before").addEventListener("click", () => { page -= 1; showPage(); });
  $("defect-after").addEventListener("click", () => { page += 1; showPage(); });
  filterDefects();
  if (!$("histogram")) return;

  // The histogram of a column with the share of smaller defects, its d10, d50 and d90, and the limits of the rules for it.
  const roundStep = (step) => {
    const power = 10 ** Math.floor(Math.log10(step));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= step * (1 - 1e-9));
  };
  const linearTicks = (low, high, most) => {
    const step = roundStep((high - low) / most);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-6); i * step <= high + step * 1e-6; ++i) ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
  };
  const logarithmicTicks = (low, high, most) => {
    for (const factors of [[1, 2, 5], [1]]) {
      for (let stride = 1; stride < 20; ++stride) {
        const ticks = [];
        for (let i = Math.floor(Math.log10(low)); i <= Math.ceil(Math.log10(high)); ++i) {
          if (i % stride === 0) ticks.push(...factors.map((factor) => Number((factor * 10 ** i).toPrecision(12))));
        }
        const inside = ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
        if (inside.length <= most) return inside;
        if (factors.length > 1) break;
      }
    }
    return [];
  };
  const drawHistogram = () => {
    const column = columns.indexOf($("histogram-column").value);
    const name = names[column];
    const unit = unitOf(name) === "" ? "" : " " + unitOf(name);
    const item = $("histogram-item").selectedIndex - 1;
    const values = rows.filter((row) => item < 0 || row[0] === item).map((row) => row[column]).filter((value) => value !== null);
    values.sort((a, b) => a - b);
    const shownLimits = limits.filter((limit) => limit.column === columns[column]);
    const svg = $("histogram");
    svg.replaceChildren();
    const add = (kind, attributes, text) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (text !== undefined) made.textContent = text;
      svg.append(made);
      return made;
    };
    if (values.length === 0) {
      add("text", { x: 450, y: 150, "text-anchor": "middle" }, say("no values"));
      svg.setAttribute("aria-label", say("no values of {1}", name));
      return;
    }
    const ends = [values[0], values[values.length - 1], ...shownLimits.map((limit) => limit.limit)];
    let [low, high] = [Math.min(...ends), Math.max(...ends)];
    // Sizes that differ by hundreds are told apart on a logarithmic axis alone.
    const isLogarithmic = low > 0 && high / low > 200;
    const along = isLogarithmic ? Math.log10 : (value) => value;
    if (low === high) [low, high] = low === 0 ? [-0.5, 0.5] : [low - Math.abs(low) / 2, low + Math.abs(low) / 2];
    // Bins begin at round numbers; of a logarithmic axis they are parts of a factor of 10.
    const wanted = Math.min(40, Math.max(16, Math.ceil(Math.sqrt(values.length))));
    const isWhole = !isLogarithmic && values.every(Number.isInteger);
    let width = roundStep((along(high) - along(low)) / wanted);
    if (isWhole) width = Math.max(1, width);
    const first = Math.floor(along(low) / width + 1e-9) * width;
    const bins = Math.max(1, Math.floor((along(high) - first) / width + 1e-9) + 1);
    const last = first + bins * width;
    const counts = new Array(bins).fill(0);
    for (const value of values) counts[Math.min(bins - 1, Math.max(0, Math.floor((along(value) - first) / width + 1e-9)))] += 1;
    const countTicks = linearTicks(0, Math.max(...counts), 5).filter(Number.isInteger);
    const most = Math.max(...counts, ...countTicks);
    // Letters keep their size on narrow screens.
    const full = Math.min(900, Math.max(320, svg.parentElement.clientWidth));
    const isNarrow = full < 600;
    svg.setAttribute("viewBox", "0 0 " + full + (isNarrow ? " 360" : " 344"));
    const [left, right, top, bottom] = [66, full - 58, 52, 272];
    const x = (value) => left + (along(value) - first) / (last - first) * (right - left);
    const y = (share) => bottom - share * (bottom - top);
    counts.forEach((count, i) => add("rect", { class: "bar", x: left + (right - left) * i / bins + 0.5, y: y(count / most),
      width: Math.max(0.5, (right - left) / bins - 1), height: bottom - y(count / most) }));
    add("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
    const edges = isLogarithmic ? [10 ** first, 10 ** last] : [first, last];
    const ticks = (isLogarithmic ? logarithmicTicks : linearTicks)(...edges, isNarrow ? 4 : 9);
    for (const tick of ticks) {
      add("line", { class: "axis", x1: x(tick), x2: x(tick), y1: bottom, y2: bottom + 5 });
      add("text", { x: x(tick), y: bottom + 20, "text-anchor": "middle" }, show(tick));
    }
    for (const tick of countTicks) add("text", { x: left - 8, y: y(tick / most) + 4, "text-anchor": "end" }, show(tick));
    for (const tick of [0, 50, 100]) add("text", { class: "curve", x: right + 8, y: y(tick / 100) + 4 }, tick);
    const turned = (place, words, kind) => add("text", { class: kind, "text-anchor": "middle",
      transform: "translate(" + place + " " + (top + bottom) / 2 + ") rotate(-90)" }, words);
    turned(16, say("number of defects"), "");
    turned(full - 8, say("share of smaller ones (%)"), "curve");
    // Of the share of smaller ones as many points as the curve needs.
    const stride = Math.max(1, Math.floor(values.length / 400));
    const points = [[values[0], 0]];
    values.forEach((value, i) => { if ((i + 1) % stride === 0 || i + 1 === values.length) points.push([value, (i + 1) / values.length]); });
    add("polyline", { class: "curve", points: points.map(([value, share]) => x(value).toFixed(1) + "," + y(share).toFixed(1)).join(" ") });
    const quantile = (share) => {
      const at = share * (values.length - 1);
      const below = values[Math.floor(at)];
      return below + (at - Math.floor(at)) * (values[Math.ceil(at)] - below);
    };
    const quantiles = [10, 50, 90].map((percent) => ["d" + percent, quantile(percent / 100)]);
    let free = -Infinity;
    for (const [mark, value] of quantiles) {
      add("line", { class: "mark", x1: x(value), x2: x(value), y1: top - 6, y2: bottom });
      if (x(value) - free > 26) {
        add("text", { class: "mark", x: x(value), y: top - 10, "text-anchor": "middle" }, mark);
        free = x(value);
      }
    }
    const sizes = quantiles.map(([mark, value]) => mark + " = " + show(value) + unit).join(", ");
    const title = [name + (isLogarithmic ? ", " + say("logarithmic") : ""),
      ...(isNarrow ? [say("{1} defects", values.length), sizes] :
        [say("{1} defects", values.length) + ": " + sizes + " (" + say("by number") + ")"])];
    title.forEach((line, i) => {
      const text = add("text", { x: full / 2, y: bottom + 42 + 18 * i, "text-anchor": "middle", class: i === 0 ? "name" : "" }, line);
      // Long names and many digits are in smaller letters.
      const length = text.getComputedTextLength();
      if (length > full - 8) text.style.fontSize = Math.floor(130 * (full - 8) / length) / 10 + "px";
    });
    shownLimits.forEach((limit, i) => {
      const at = x(limit.limit);
      add("line", { class: "limit", x1: at, x2: at, y1: 22 + 14 * i, y2: bottom });
      const isRight = at > full * 0.6;
      add("text", { class: "limit", x: at + (isRight ? -6 : 6), y: 18 + 14 * i, "text-anchor": isRight ? "end" : "start" },
        limit.name + ": " + show(limit.limit) + unit);
    });
    svg.setAttribute("aria-label", say("histogram of {1}: {2} defects from {3} to {4}", name, values.length, show(values[0]),
      show(values[values.length - 1])) + ", " + sizes);
  };
  for (const id of ["histogram-column", "histogram-item"]) $(id).addEventListener("change", drawHistogram);
  addEventListener("resize", drawHistogram);
  drawHistogram();
})();
