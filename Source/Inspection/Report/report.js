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
  const show = (value) => value === null ? "" :
    typeof value === "number" && !Number.isInteger(value) ? String(Number(value.toPrecision(5))) : String(value);
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

  // The items: rows of the page itself, sorted and hidden in place.
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
    $("item-count").textContent = count + " of " + itemBody.rows.length + " items";
  };
  $("item-filter").addEventListener("input", filterItems);
  $("item-verdict").addEventListener("change", filterItems);
  filterItems();

  // The slices of an item: one picture holds them all, and a window shows one of them.
  const scrolls = data.slices.map((slices, item) => {
    const range = $("slice-" + item);
    if (slices === null || range === null) return null;
    const section = range.closest("section");
    const tile = section.querySelector(".tile");
    const picture = tile.querySelector("img");
    const last = slices.places.length - 1;
    const showSlice = (index) => {
      const at = Math.min(Math.max(index, 0), last);
      range.value = at;
      picture.style.left = -100 * (at % slices.columns) + "%";
      picture.style.top = -100 * Math.floor(at / slices.columns) + "%";
      const text = slices.axis + " = " + slices.places[at];
      range.setAttribute("aria-valuetext", text);
      section.querySelector("output").textContent = text + " (" + (at + 1) + " of " + (last + 1) + ")";
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
  const { columns, rows, main } = data.defects;
  if (rows.length === 0) return;
  const pageSize = 25;
  let shown = rows;
  let page = 0;
  const head = $("defect-table").tHead.rows[0];
  for (const column of columns) {
    const isMinor = !main.includes(column);
    head.append(element("th", column, { scope: "col", class: (column === "item" ? "" : "number") + (isMinor ? " minor" : "") }));
    if (column !== "item") {
      $("defect-column").append(element("option", column));
      $("histogram-column").append(element("option", column));
    }
  }
  for (const item of data.items) {
    $("defect-item").append(element("option", item));
    $("histogram-item").append(element("option", item));
  }
  const chosen = data.limits.map((limit) => limit.column).find((column) => columns.includes(column)) ??
    columns.find((column) => column.startsWith("equivalent_")) ?? columns[1];
  $("histogram-column").value = chosen;
  $("defect-column").value = chosen;

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
        const isMinor = !main.includes(columns[i]);
        if (columns[i] === "item") {
          const cell = element("td", undefined, { class: "name" });
          cell.append(element("a", data.items[value], { href: "#item-" + value }));
          line.append(cell);
        } else {
          const cell = element("td", undefined, { class: "number" + (isMinor ? " minor" : "") });
          if (columns[i] === "slice" && value !== null && scrolls[row[0]]) {
            const link = element("a", show(value), { href: "#item-" + row[0], "aria-label": "slice " + value + " of " + data.items[row[0]] });
            link.addEventListener("click", (event) => { event.preventDefault(); jumpTo(row[0], value); });
            cell.append(link);
          } else {
            cell.textContent = show(value);
          }
          line.append(cell);
        }
      }
      body.append(line);
    }
    $("defect-table").tBodies[0].replaceChildren(body);
    const which = data.defects.all ? rows.length + " (the largest of " + data.defects.all + ")" : rows.length;
    $("defect-count").textContent = shown.length + " of " + which + " defects, page " + (page + 1) + " of " + pages;
    $("defect-before").disabled = page === 0;
    $("defect-after").disabled = page === pages - 1;
    showColumns();
  };
  // The largest come first.
  let order = { column: columns.indexOf("voxel_count"), isDescending: true };
  const filterDefects = () => {
    const item = $("defect-item").selectedIndex - 1;
    const column = columns.indexOf($("defect-column").value);
    const [least, most] = ["defect-least", "defect-most"].map((id) => $(id).value === "" ? null : Number($(id).value));
    shown = rows.filter((row) => (item < 0 || row[0] === item) &&
      (least === null || (row[column] !== null && row[column] >= least)) &&
      (most === null || (row[column] !== null && row[column] <= most)));
    const read = order.column === 0 ? (row) => data.items[row[0]] : (row) => row[order.column];
    shown = shown.slice().sort((a, b) => {
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
  head.cells[order.column].setAttribute("aria-sort", "descending");
  for (const id of ["defect-item", "defect-column", "defect-least", "defect-most"]) {
    $(id).addEventListener("input", filterDefects);
  }
  $("defect-all").addEventListener("change", showColumns);
  $("defect-before").addEventListener("click", () => { page -= 1; showPage(); });
  $("defect-after").addEventListener("click", () => { page += 1; showPage(); });
  filterDefects();

  // The histogram of a column, with the limits of the rules for it.
  const drawHistogram = () => {
    const name = $("histogram-column").value;
    const column = columns.indexOf(name);
    const item = $("histogram-item").selectedIndex - 1;
    const values = rows.filter((row) => item < 0 || row[0] === item).map((row) => row[column]).filter((value) => value !== null);
    const limits = data.limits.filter((limit) => limit.column === name);
    const svg = $("histogram");
    svg.replaceChildren();
    const add = (kind, attributes, text) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      if (text !== undefined) made.textContent = text;
      svg.append(made);
    };
    if (values.length === 0) {
      add("text", { x: 450, y: 150, "text-anchor": "middle" }, "no values");
      svg.setAttribute("aria-label", "no values of " + name);
      return;
    }
    let low = values.reduce((a, b) => Math.min(a, b));
    let high = values.reduce((a, b) => Math.max(a, b));
    for (const limit of limits) {
      low = Math.min(low, limit.limit);
      high = Math.max(high, limit.limit);
    }
    // Sizes that differ by hundreds are told apart on a logarithmic axis alone.
    const isLogarithmic = low > 0 && high / low > 200;
    const along = isLogarithmic ? Math.log : (value) => value;
    const back = isLogarithmic ? Math.exp : (value) => value;
    [low, high] = [along(low), along(high)];
    if (low === high) { low -= 0.5; high += 0.5; }
    const bins = Math.min(40, Math.max(5, Math.ceil(Math.sqrt(values.length))));
    const counts = new Array(bins).fill(0);
    for (const value of values) counts[Math.min(bins - 1, Math.floor((along(value) - low) / (high - low) * bins))] += 1;
    const most = Math.max(...counts);
    // Letters keep their size on narrow screens.
    const width = Math.min(900, Math.max(320, svg.parentElement.clientWidth));
    const isNarrow = width < 600;
    svg.setAttribute("viewBox", "0 0 " + width + (isNarrow ? " 312" : " 300"));
    const [left, right, top, bottom] = [48, width - 34, 30, 250];
    const x = (value) => left + (along(value) - low) / (high - low) * (right - left);
    const y = (count) => bottom - count / most * (bottom - top);
    counts.forEach((count, i) => {
      const begin = left + (right - left) * i / bins;
      add("rect", { class: "bar", x: begin + 0.5, y: y(count), width: (right - left) / bins - 1, height: bottom - y(count) });
    });
    add("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom });
    const ticks = isNarrow ? 3 : 5;
    for (let i = 0; i <= ticks; ++i) {
      const value = back(low + (high - low) * i / ticks);
      add("text", { x: x(value), y: bottom + 20, "text-anchor": "middle" }, show(value));
    }
    add("text", { x: left - 8, y: top + 5, "text-anchor": "end" }, most);
    add("text", { x: left - 8, y: bottom, "text-anchor": "end" }, "0");
    const title = [name + (isLogarithmic ? " (logarithmic)" : ""), values.length + " defects"];
    (isNarrow ? title : [title.join(", ")]).forEach((line, i) => {
      add("text", { x: width / 2, y: bottom + 42 + 14 * i, "text-anchor": "middle" }, line);
    });
    for (const limit of limits) {
      add("line", { class: "limit", x1: x(limit.limit), x2: x(limit.limit), y1: top - 10, y2: bottom });
      const isRight = x(limit.limit) > width * 0.6;
      add("text", { class: "limit", x: x(limit.limit) + (isRight ? -6 : 6), y: top, "text-anchor": isRight ? "end" : "start" },
        limit.name + ": " + show(limit.limit));
    }
    svg.setAttribute("aria-label", "histogram of " + name + ": " + values.length + " defects from " + show(back(low)) + " to " + show(back(high)));
  };
  for (const id of ["histogram-column", "histogram-item"]) $(id).addEventListener("change", drawHistogram);
  addEventListener("resize", drawHistogram);
  drawHistogram();
})();
