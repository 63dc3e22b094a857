"use strict";
(async () => {
  const $ = (id) => document.getElementById(id);
  const element = (name, text, attributes = {}) => {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
  const show = (value, digits = 4) => value === null || value === undefined ? "" : Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(digits)));
  const AXES = ["x", "y", "z"];
  const IN_PART = 0xFFFFFFFF;

  // What the page knows of the state of the work: "exact", "work", "preview", "error".
  const setState = (kind, text) => {
    $("state").dataset.kind = kind;
    $("state").textContent = text;
  };
  const getJson = async (path, options) => {
    const answer = await fetch(path, options);
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return answer.json();
  };
  const post = (path, body, signal) => getJson(path, { method: "POST", body: JSON.stringify(body), signal });

  // The request that waits while the page is open: the program ends some time after the last one.
  const page = String(Date.now()).padStart(16, "0");
  let isEnded = false;
  (async () => {
    for (let failures = 0; failures < 3;) {
      try {
        const answer = await fetch("presence?page=" + page);
        if (answer.ok) return setState("error", "opened in another tab");
        failures = 3;
      } catch {
        failures += 1;
        await new Promise((done) => setTimeout(done, 300));
      }
    }
    isEnded = true;
    setState("error", "the program has ended");
  })();

  const scan = await getJson("scan");
  const { extent, spacing } = scan;
  const unit = scan.hasSpacing ? "mm" : "voxels";
  document.title = scan.name + " - brickccl view";
  $("name").textContent = scan.name;
  const size = extent.slice(0, scan.dimension).join(" \u00d7 ");
  $("facts").textContent = size + " voxels, " + (scan.hasSpacing ? spacing.slice(0, scan.dimension).map((step) => show(step)).join(" \u00d7 ") + " mm" : "size of voxels unknown") + ", " + scan.type;
  $("folder").textContent = "Files go to " + scan.folder + ".";
  if (scan.error) return setState("error", scan.error);

  // Settings, and what can be undone. The heights of splitting are multiples of a quarter of the smallest spacing.
  const FIELDS = [["connectivity", "connectivity"], ["minimum-volume", "minimumVolume"], ["smooth", "smooth"], ["close", "close"], ["box", "box"]];
  const STEP = Math.min(...spacing.slice(0, scan.dimension)) / 4;
  const neighbors = { 1: ["2"], 2: ["4", "8"], 3: ["6", "18", "26"] }[scan.dimension];
  for (const count of neighbors) $("connectivity").append(element("option", count));
  $("unit").textContent = { 1: "mm", 2: "mm2", 3: "mm3" }[scan.dimension];
  let settings = { mode: "pores", threshold: "otsu", low: null, high: null, connectivity: neighbors[neighbors.length - 1], minimumVolume: "", smooth: "", close: "", box: "", split: "" };
  let past = [];
  let future = [];
  let committed = JSON.stringify(settings);
  const asOptions = () => {
    const options = { connectivity: [settings.connectivity] };
    if (settings.mode === "range") options.range = [String(settings.low), String(settings.high)];
    else options.threshold = [settings.threshold];
    if (settings.mode === "pores") options.pores = [];
    if (settings.mode === "below") options.below = [];
    if (settings.mode === "pores" && Number(settings.close) > 0) options.close = [settings.close];
    if (Number(settings.minimumVolume) > 0) options["minimum-volume"] = [settings.minimumVolume];
    for (const key of ["smooth", "box", "split"]) if (settings[key]) options[key] = [settings[key]];
    return options;
  };
  // The first and the last voxel of the box along each axis; null for all of the image, and for a text that is not a box in voxels.
  const boxOf = () => {
    const numbers = settings.box.split(",").map(Number);
    if (settings.box === "" || numbers.length !== 2 * scan.dimension || !numbers.every(Number.isInteger)) return null;
    const ends = (first) => extent.map((count, axis) => axis < scan.dimension ? numbers[axis + first] : 0);
    return [ends(0), ends(scan.dimension)];
  };
  const setBox = (low, high) => {
    settings.box = [...low.slice(0, scan.dimension), ...high.slice(0, scan.dimension)].join();
    showSettings();
    preview();
    ask(false);
  };
  const commit = () => {
    const now = JSON.stringify(settings);
    if (now === committed) return;
    past.push(committed);
    future = [];
    committed = now;
    showHistory();
  };
  const showHistory = () => {
    $("undo").disabled = past.length === 0;
    $("redo").disabled = future.length === 0;
  };
  const travel = (from, to) => {
    if (from.length === 0) return;
    to.push(committed);
    committed = from.pop();
    settings = JSON.parse(committed);
    showHistory();
    showSettings();
    ask(true);
  };
  $("undo").addEventListener("click", () => travel(past, future));
  $("redo").addEventListener("click", () => travel(future, past));

  // The histogram with its thresholds. Methods have values in `proposals`.
  let histogram = await getJson("histogram");
  const span = () => [histogram.bars[0][0], histogram.bars[histogram.bars.length - 1][1]];
  // A recipe to begin with. A range that has no upper end is a threshold.
  const start = scan.settings;
  if (Object.keys(start ?? {}).length > 0) {
    const [low, high] = (start.range ?? ["nan", "inf"]).map((text) => Number(text.replace("inf", "Infinity")));
    settings.mode = start.pores ? "pores" : start.below ? "below" : high < Infinity ? "range" : "above";
    settings.threshold = start.threshold?.[0] ?? (start.range && high === Infinity ? String(low) : "otsu");
    if (settings.mode === "range") [settings.low, settings.high] = [Math.max(low, span()[0]), high];
    if (start.pores && high < Infinity) scan.notes.push("the page finds material from a threshold up, without the upper end of the recipe");
    if (!start.threshold && !start.range) scan.notes.push("the recipe has no threshold; the page begins with otsu");
    const count = start.connectivity[0];
    settings.connectivity = count === "full" ? neighbors[neighbors.length - 1] : count === "faces" ? neighbors[0] : count;
    for (const [key, option] of [["minimumVolume", "minimum-volume"], ["smooth", "smooth"], ["close", "close"], ["box", "box"], ["split", "split"]]) settings[key] = start[option]?.[0] ?? "";
    if (!Array.from($("smooth").options, (option) => option.value).includes(settings.smooth)) $("smooth").append(element("option", settings.smooth));
    committed = JSON.stringify(settings);
  }
  const valueOfThreshold = () => {
    const proposal = (histogram.proposals ?? []).find((each) => each.method === settings.threshold);
    return proposal ? proposal.value : Number(settings.threshold);
  };
  // The outermost bars reach to the extremes; the picture shows as much of them as of others.
  const shownSpan = () => {
    const bars = histogram.bars;
    if (bars.length < 3) return span();
    const width = bars[1][1] - bars[1][0] + (histogram.isExact ? 1 : 0);
    return [bars[0][1] - width, bars[bars.length - 1][0] + width];
  };
  const fitCanvas = (canvas) => {
    const box = canvas.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(box.width * ratio));
    canvas.height = Math.max(1, Math.round(box.height * ratio));
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return [context, box.width, box.height];
  };
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const limits = () => settings.mode === "range" ? [settings.low, settings.high]
    : settings.mode === "above" ? [valueOfThreshold(), Infinity] : [-Infinity, valueOfThreshold()];
  const drawHistogram = () => {
    const [context, width, height] = fitCanvas($("histogram").querySelector("canvas"));
    const [low, high] = shownSpan();
    const bottom = height - 18;
    const most = histogram.bars.reduce((all, bar) => Math.max(all, bar[2]), 1);
    const x = (value) => (value - low) / (high - low || 1) * width;
    const [from, to] = limits();
    for (const bar of histogram.bars) {
      const begin = x(Math.max(bar[0], low));
      const length = Math.log1p(bar[2]) / Math.log1p(most) * (bottom - 8);
      const middle = (Math.max(bar[0], low) + Math.min(bar[1], high)) / 2;
      context.fillStyle = style(middle >= from && middle <= to ? "--accent" : "--bar");
      context.globalAlpha = middle >= from && middle <= to ? 0.85 : 0.5;
      context.fillRect(begin, bottom - length, Math.max(1, x(Math.min(bar[1], high)) - begin + (histogram.isExact ? width / histogram.bars.length : 0)), length);
    }
    context.globalAlpha = 1;
    context.fillStyle = style("--soft");
    context.font = "11px system-ui, sans-serif";
    context.fillText(show(low), 4, height - 5);
    context.textAlign = "right";
    context.fillText(show(high), width - 4, height - 5);
    const place = (handle, value) => {
      handle.style.left = clamp(x(value), 0, width) + "px";
      handle.setAttribute("aria-valuemin", low);
      handle.setAttribute("aria-valuemax", high);
      handle.setAttribute("aria-valuenow", clamp(value, low, high));
      handle.setAttribute("aria-valuetext", show(value, 6));
    };
    place($("handle-low"), settings.mode === "range" ? settings.low : valueOfThreshold());
    if (settings.mode === "range") place($("handle-high"), settings.high);
  };
  const rounded = (value) => {
    const [low, high] = shownSpan();
    const step = histogram.isExact ? 1 : (high - low) / 1000;
    return histogram.isExact ? Math.round(value) : Number((Math.round(value / step) * step).toPrecision(6));
  };
  const setLimit = (which, value) => {
    if (!Number.isFinite(value)) return;
    if (settings.mode !== "range") settings.threshold = String(value);
    else if (which === "low") settings.low = Math.min(value, settings.high);
    else settings.high = Math.max(value, settings.low);
    showSettings();
    preview();
    ask(false);
  };
  for (const which of ["low", "high"]) {
    const handle = $("handle-" + which);
    const drag = (event) => {
      const box = $("histogram").getBoundingClientRect();
      const [low, high] = shownSpan();
      setLimit(which, rounded(low + (event.clientX - box.left) / box.width * (high - low)));
    };
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      handle.focus();
    });
    handle.addEventListener("pointermove", (event) => { if (event.buttons === 1 && handle.hasPointerCapture(event.pointerId)) drag(event); });
    handle.addEventListener("pointerup", commit);
    handle.addEventListener("keydown", (event) => {
      const [low, high] = shownSpan();
      const step = histogram.isExact ? 1 : (high - low) / 500;
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 }[event.key];
      if (!way) return;
      event.preventDefault();
      const now = settings.mode === "range" ? settings[which] : valueOfThreshold();
      setLimit(which, rounded(now + way * step * (event.shiftKey ? 10 : 1)));
    });
    handle.addEventListener("keyup", commit);
    $(which).addEventListener("change", () => {
      if ($(which).value !== "") setLimit(which, Number($(which).value));
      showSettings();
      commit();
    });
  }
  // A press beside the handles brings the nearer one there.
  $("histogram").addEventListener("pointerdown", (event) => {
    if (event.target.classList.contains("handle")) return;
    const box = $("histogram").getBoundingClientRect();
    const [low, high] = shownSpan();
    const value = rounded(low + (event.clientX - box.left) / box.width * (high - low));
    const isHigh = settings.mode === "range" && Math.abs(value - settings.high) < Math.abs(value - settings.low);
    setLimit(isHigh ? "high" : "low", value);
    commit();
  });
  const showProposals = () => {
    $("proposals").replaceChildren();
    for (const proposal of histogram.proposals ?? []) {
      const button = element("button", proposal.method + (proposal.value === null ? "" : " " + show(proposal.value)),
        { type: "button", "aria-pressed": String(settings.mode !== "range" && settings.threshold === proposal.method) });
      button.disabled = proposal.value === null || settings.mode === "range";
      if (proposal.reason) button.title = proposal.reason;
      button.addEventListener("click", () => {
        settings.threshold = proposal.method;
        showSettings();
        preview();
        commit();
        ask(true);
      });
      button.hidden = proposal.repeated;
      $("proposals").append(button);
    }
  };
  const showSettings = () => {
    const isRange = settings.mode === "range";
    for (const radio of document.getElementsByName("mode")) radio.checked = radio.value === settings.mode;
    $("low-name").textContent = isRange ? "From" : settings.mode === "pores" ? "Material from" : settings.mode === "below" ? "Below" : "From";
    $("high-row").hidden = $("handle-high").hidden = !isRange;
    $("low").value = isRange ? settings.low : show(valueOfThreshold(), 6);
    $("high").value = isRange ? settings.high : "";
    $("handle-low").setAttribute("aria-label", isRange ? "lower threshold" : "threshold");
    $("method").textContent = isRange || !isNaN(Number(settings.threshold)) ? "" : "by " + settings.threshold;
    $("close-row").hidden = settings.mode !== "pores";
    for (const [id, key] of FIELDS) $(id).value = settings[key];
    $("split").value = settings.split === "" ? 0 : clamp(Math.round(Number(isNaN(settings.split) ? 3 * STEP : settings.split) / STEP), 1, 40);
    $("noun").textContent = settings.split ? "objects" : settings.mode === "pores" ? "pores" : "components";
    $("share").textContent = settings.mode === "pores" ? "porosity" : settings.box ? "of the box" : "of the image";
    $("where").textContent = settings.box ? "Result in the box" : "Result";
    $("clear").disabled = !settings.box;
    showSplit();
    const pressed = Array.from($("proposals").children, (button) => button.textContent.split(" ")[0]);
    pressed.forEach((method, i) => {
      $("proposals").children[i].setAttribute("aria-pressed", String(!isRange && settings.threshold === method));
      $("proposals").children[i].disabled = isRange || (histogram.proposals[i].value === null);
    });
    drawHistogram();
  };
  for (const radio of document.getElementsByName("mode")) {
    radio.addEventListener("change", () => {
      if (radio.value === "range" && settings.low === null) {
        const value = valueOfThreshold();
        [settings.low, settings.high] = [rounded(value), rounded(Math.max(value, span()[1]))];
      }
      settings.mode = radio.value;
      chosen = 0;
      showSettings();
      preview();
      commit();
      ask(true);
    });
  }
  for (const [id, key] of FIELDS) {
    $(id).addEventListener("change", () => {
      settings[key] = $(id).value.trim();
      showSettings();
      views.forEach((view) => view.draw());
      commit();
      ask(true);
    });
  }
  $("split").addEventListener("input", () => {
    const steps = Number($("split").value);
    settings.split = steps === 0 ? "" : String(Number((steps * STEP).toPrecision(4)));
    showSettings();
    ask(false);
  });
  $("split").addEventListener("change", commit);
  $("clear").addEventListener("click", () => {
    $("box").value = "";
    $("box").dispatchEvent(new Event("change"));
  });

  // Live labeling. One request at a time; while work is fast each is finished, so that numbers follow a drag.
  let generation = 0;
  let running = null;
  let isWanted = false;
  let isPreview = false;
  let lastTime = 0;
  let result = null;
  const ask = (isUrgent) => {
    if (isEnded) return;
    $("result").dataset.stale = "true";
    if (!isPreview) setState("work", "labeling");
    isWanted = true;
    if (running && (isUrgent || lastTime > 700)) running.abort();
    if (!running) work();
  };
  const work = async () => {
    while (isWanted) {
      isWanted = false;
      running = new AbortController();
      generation = Math.max(Date.now(), generation + 1);
      const begin = performance.now();
      try {
        const answer = await post("label", { generation, settings: asOptions() }, running.signal);
        lastTime = performance.now() - begin;
        if (!answer.dropped) await take(answer);
      } catch (error) {
        if (error.name !== "AbortError" && !isEnded) showError(error.message);
      }
      running = null;
    }
  };
  const showError = (text) => {
    $("error").textContent = text;
    $("error").hidden = false;
    setState("error", "no result");
  };
  const take = async (answer) => {
    if (answer.error) {
      isPreview = false;
      views.forEach((view) => view.draw());
      return showError(answer.error);
    }
    $("error").hidden = true;
    const isSmoothedAnew = result && result.smooth !== answer.smooth;
    const isElsewhere = result ? result.box !== answer.box : answer.box !== "";
    result = answer;
    showNumbers();
    if (isSmoothedAnew || isElsewhere) {
      histogram = await getJson("histogram");
      showProposals();
      showSettings();
    }
    await Promise.all(views.map((view) => view.load(isSmoothedAnew)));
    if (isWanted) return;
    isPreview = false;
    views.forEach((view) => view.draw());
    setState("exact", "exact, " + show(result.milliseconds, 2) + " ms");
    clearTimeout(later);
    later = setTimeout(loadRest, 150);
  };
  let later = 0;
  const showNumbers = () => {
    $("result").dataset.stale = String(isWanted);
    showSplit();
    $("figure-count").textContent = result.components.toLocaleString("en");
    $("figure-percent").textContent = show(result.percent, 4) + " %";
    $("figure-largest").textContent = result.components ? result.largest : "\u2013";
    // No line ends within an option.
    $("command").replaceChildren(...result.command.split(" ").flatMap((word) => [element("span", word, word.length > 30 ? { class: "long" } : {}), " "]).slice(0, -1));
  };
  const showSplit = () => {
    const text = settings.split === "" ? "off" : (isNaN(settings.split) ? settings.split : show(Number(settings.split)) + " " + unit) + (result?.parents ? ", from " + result.parents.toLocaleString("en") : "");
    $("split-text").textContent = text;
    $("split").setAttribute("aria-valuetext", text);
  };
  const loadRest = async () => {
    const of = result.generation;
    try {
      takeTable(await getJson("table"));
      await solid.load();
      $("notes").replaceChildren(...scan.notes.map((note) => element("li", note)));
      const notes = await getJson("notes");
      if (of === result.generation) $("notes").append(...notes.map((note) => element("li", note)));
    } catch (error) {
      if (!isEnded) showError(error.message);
    }
  };
  const preview = () => {
    isPreview = true;
    setState("preview", "preview, exact follows");
    views.forEach((view) => view.draw());
  };

  // Colors of labels: neighbors in number differ in hue.
  const palette = Array.from({ length: 1024 }, (_, i) => {
    const [hue, light] = [i * 137.508 % 360, 0.5 + 0.14 * (i % 3)];
    const part = (n) => {
      const k = (n + hue / 30) % 12;
      return Math.round(255 * (light - 0.9 * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
    };
    return [part(0), part(8), part(4)];
  });
  const colorOf = (label) => palette[label & 1023];
  const CHOSEN = [255, 226, 40];
  const PREVIEW = [90, 200, 255];
  let chosen = 0;
  let isOverlaid = true;

  // Slices. `place` is the crosshair, `focus` the point in the middle of all views; both are in voxels.
  const place = extent.map((count) => count >> 1);
  const focus = extent.map((count) => count / 2);
  let zoom = 1;
  let gray = { black: histogram.black ?? 0, white: histogram.white ?? 1 };
  const arrayOf = { int8: Int8Array, uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, int32: Int32Array, uint32: Uint32Array,
    int64: Float64Array, uint64: Float64Array, float32: Float32Array, float64: Float64Array };
  const componentAt = new Map();

  class View {
    constructor(figure) {
      this.axis = Number(figure.dataset.axis);
      [this.a, this.b] = [[1, 2], [0, 2], [0, 1]][this.axis];
      this.figure = figure;
      this.canvas = figure.querySelector("canvas");
      this.slider = figure.querySelector("input");
      this.tile = document.createElement("canvas");
      [this.tile.width, this.tile.height] = [extent[this.a], extent[this.b]];
      this.pixels = new ImageData(extent[this.a], extent[this.b]);
      this.slider.max = extent[this.axis] - 1;
      this.canvas.setAttribute("aria-label", "slice across " + AXES[this.axis] + ": arrow keys move the crosshair, Page Up and Page Down change the slice, plus and minus zoom");
      this.slider.addEventListener("input", () => goTo(this.axis, Number(this.slider.value)));
      this.listen();
    }
    // Loads the slice of the crosshair: gray values if it is another one, and labels.
    async load(isNewGray) {
      if (isNewGray) this.shown = undefined;
      this.wanted = true;
      if (this.loading) return this.loading;
      this.loading = (async () => {
        while (this.wanted) {
          this.wanted = false;
          const index = place[this.axis];
          const query = "?axis=" + this.axis + "&index=" + index;
          try {
            const [values, labels] = await Promise.all([this.shown === index ? null : fetch("gray" + query), fetch("labels" + query)]);
            if (values) this.values = new arrayOf[values.headers.get("X-Type")](await values.arrayBuffer());
            this.labels = new Uint32Array(await labels.arrayBuffer());
            this.shown = index;
            this.draw();
          } catch {
            // The program has ended.
          }
        }
        this.loading = null;
      })();
      return this.loading;
    }
    // Pixels: gray values, and over them the labels, or in a preview the voxels within the limits.
    paint() {
      const { values, labels } = this;
      const out = this.pixels.data;
      const scale = 255 / (gray.white - gray.black || 1);
      const alpha = isOverlaid ? Number($("opacity").value) / 100 : 0;
      const [from, to] = limits();
      // A threshold is material from itself up: what is below it is less.
      const isBelow = settings.mode === "pores" || settings.mode === "below";
      const box = boxOf();
      const isHere = box && this.shown >= box[0][this.axis] && this.shown <= box[1][this.axis];
      const isInBox = (i) => {
        const u = i % extent[this.a];
        const v = (i - u) / extent[this.a];
        return isHere && u >= box[0][this.a] && u <= box[1][this.a] && v >= box[0][this.b] && v <= box[1][this.b];
      };
      for (let i = 0, o = 0; i < values.length; ++i, o += 4) {
        const value = values[i];
        let level = (value - gray.black) * scale;
        level = level < 0 ? 0 : level > 255 ? 255 : level;
        out[o + 3] = 255;
        const label = labels[i];
        let color = null;
        if (isPreview) {
          const isIn = isBelow ? value < to : value >= from && value <= to;
          color = isIn && (settings.mode !== "pores" || label !== 0) && (!box || isInBox(i)) ? PREVIEW : null;
        } else if (label !== 0 && label !== IN_PART) {
          color = label === chosen ? CHOSEN : palette[label & 1023];
        }
        if (color && alpha > 0) {
          const share = color === CHOSEN ? Math.max(alpha, 0.95) : alpha;
          out[o] = level + (color[0] - level) * share;
          out[o + 1] = level + (color[1] - level) * share;
          out[o + 2] = level + (color[2] - level) * share;
        } else {
          out[o] = out[o + 1] = out[o + 2] = level;
        }
      }
      this.tile.getContext("2d").putImageData(this.pixels, 0, 0);
    }
    // CSS pixels of a voxel across and down. z points up.
    steps(width, height) {
      const fit = Math.min(width / (extent[this.a] * spacing[this.a]), (height - 24) / (extent[this.b] * spacing[this.b]));
      return [fit * zoom * spacing[this.a], fit * zoom * spacing[this.b] * (this.b === 2 ? -1 : 1)];
    }
    draw() {
      if (this.frame) return;
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        if (!this.values) return;
        this.paint();
        const [context, width, height] = fitCanvas(this.canvas);
        const [across, down] = this.steps(width, height);
        context.imageSmoothingEnabled = Math.abs(across) < 3;
        context.save();
        context.translate(width / 2 - focus[this.a] * across, height / 2 + 6 - focus[this.b] * down);
        context.scale(across, down);
        context.drawImage(this.tile, 0, 0);
        context.restore();
        this.drawMarks(context, width, height, across, down);
        const index = place[this.axis];
        this.slider.value = index;
        this.slider.setAttribute("aria-valuetext", AXES[this.axis] + " " + index);
        this.figure.querySelector(".place").textContent = AXES[this.axis] + " " + index + (scan.hasSpacing ? " (" + show(index * spacing[this.axis]) + " mm)" : "");
        this.figure.dataset.shown = this.shown + (isPreview ? " preview" : " exact");
      });
    }
    drawMarks(context, width, height, across, down) {
      const x = width / 2 + (place[this.a] + 0.5 - focus[this.a]) * across;
      const y = height / 2 + 6 + (place[this.b] + 0.5 - focus[this.b]) * down;
      context.strokeStyle = "#ffe27aaa";
      context.lineWidth = 1;
      context.beginPath();
      for (const [x1, y1, x2, y2] of [[0, y, x - 8, y], [x + 8, y, width, y], [x, 0, x, y - 8], [x, y + 8, x, height]]) {
        context.moveTo(x1, Math.round(y1) + 0.5);
        context.lineTo(x2, Math.round(y2) + 0.5);
      }
      context.stroke();
      const box = boxOf();
      if (box) {
        const isHere = place[this.axis] >= box[0][this.axis] && place[this.axis] <= box[1][this.axis];
        const ends = [box[0], box[1].map((index) => index + 1)].map((at) => [width / 2 + (at[this.a] - focus[this.a]) * across, height / 2 + 6 + (at[this.b] - focus[this.b]) * down]);
        context.strokeStyle = "#7fe0a0";
        context.lineWidth = 2;
        context.setLineDash(isHere ? [] : [3, 5]);
        context.strokeRect(ends[0][0], ends[0][1], ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]);
        context.setLineDash([]);
      }
      // A bar of 1, 2 or 5 times a power of ten mm, about a fifth of the width.
      const perUnit = across / (scan.hasSpacing ? spacing[this.a] : 1);
      const about = width / 5 / perUnit;
      const power = 10 ** Math.floor(Math.log10(about));
      const length = power * [5, 2, 1].find((times) => times * power <= about);
      context.fillStyle = "#101216a0";
      context.fillRect(6, height - 42, Math.max(length * perUnit, 34) + 12, 24);
      context.fillStyle = "#e6e9ed";
      context.fillRect(12, height - 24, length * perUnit, 3);
      context.font = "11px system-ui, sans-serif";
      context.shadowColor = "#000";
      context.shadowBlur = 3;
      context.fillText(show(length) + " " + unit, 12, height - 29);
      context.shadowBlur = 0;
    }
    voxelAt(event) {
      const box = this.canvas.getBoundingClientRect();
      const [across, down] = this.steps(box.width, box.height);
      const at = [0, 0, 0];
      at[this.axis] = place[this.axis];
      at[this.a] = (event.clientX - box.left - box.width / 2) / across + focus[this.a];
      at[this.b] = (event.clientY - box.top - box.height / 2 - 6) / down + focus[this.b];
      return at;
    }
    point(event) {
      const at = this.voxelAt(event).map(Math.floor);
      const [u, v] = [at[this.a], at[this.b]];
      const isInside = u >= 0 && v >= 0 && u < extent[this.a] && v < extent[this.b];
      const i = v * extent[this.a] + u;
      const label = isInside && this.labels && !isPreview ? this.labels[i] : 0;
      const row = componentAt.get(label);
      this.figure.querySelector(".pointed").textContent = !isInside || !this.values ? ""
        : at.map((value, axis) => AXES[axis] + " " + value).slice(0, scan.dimension).join(" ") + ": " + show(this.values[i], 6) +
          (label === 0 || label === IN_PART ? "" : ", no. " + label + (row ? ", " + show(row[sizeColumn]) + " " + $("unit").textContent : ""));
      pointAt(label === IN_PART ? 0 : label);
      return label === IN_PART ? 0 : label;
    }
    listen() {
      const { canvas } = this;
      let last = null;
      let corner = null;
      canvas.addEventListener("contextmenu", (event) => event.preventDefault());
      canvas.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        canvas.focus();
        canvas.setPointerCapture(event.pointerId);
        last = [event.clientX, event.clientY];
        corner = isDrawing && event.button === 0 ? this.voxelAt(event) : null;
        if (event.button === 0 && !event.shiftKey && !corner) {
          choose(this.point(event), false);
          this.cross(event);
        }
      });
      canvas.addEventListener("pointermove", (event) => {
        if (event.buttons === 0 || !last) return this.point(event);
        const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
        last = [event.clientX, event.clientY];
        if (corner) this.stretch(corner, this.voxelAt(event));
        else if (event.buttons === 2) {
          const width = gray.white - gray.black;
          const middle = (gray.white + gray.black) / 2 - dy * width / 200;
          const wide = width * Math.exp(dx / 150);
          setGray(middle - wide / 2, middle + wide / 2);
        } else if (event.buttons === 4 || event.shiftKey) {
          const box = canvas.getBoundingClientRect();
          const [across, down] = this.steps(box.width, box.height);
          focus[this.a] -= dx / across;
          focus[this.b] -= dy / down;
          views.forEach((view) => view.draw());
        } else {
          this.cross(event);
        }
        return this.point(event);
      });
      canvas.addEventListener("pointerup", () => {
        if (corner) { draw(false); commit(); }
        last = corner = null;
      });
      canvas.addEventListener("pointerleave", () => { this.figure.querySelector(".pointed").textContent = ""; });
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        if (event.ctrlKey) zoomBy(Math.exp(-event.deltaY / 300), this.voxelAt(event));
        else goTo(this.axis, place[this.axis] - Math.sign(event.deltaY) * (event.shiftKey ? 10 : 1));
      }, { passive: false });
      canvas.addEventListener("keydown", (event) => {
        const step = event.shiftKey ? 10 : 1;
        const up = this.b === 2 ? 1 : -1;
        const moves = { ArrowLeft: [this.a, -step], ArrowRight: [this.a, step], ArrowUp: [this.b, up * step], ArrowDown: [this.b, -up * step],
          PageUp: [this.axis, step], PageDown: [this.axis, -step] };
        if (moves[event.key]) goTo(moves[event.key][0], place[moves[event.key][0]] + moves[event.key][1]);
        else if (event.key === "+" || event.key === "-") zoomBy(event.key === "+" ? 1.25 : 0.8, place);
        else if (event.key === "0") { zoom = 1; extent.forEach((count, axis) => { focus[axis] = count / 2; }); views.forEach((view) => view.draw()); }
        else if (event.key === "Enter" && this.labels) {
          const label = this.labels[place[this.b] * extent[this.a] + place[this.a]];
          choose(label === IN_PART ? 0 : label, false);
        } else return;
        event.preventDefault();
      });
    }
    // A box from one corner to another in this slice; across it, it stays as it is.
    stretch(from, to) {
      const [low, high] = boxOf() ?? [extent.map(() => 0), extent.map((count) => count - 1)];
      for (const axis of [this.a, this.b]) {
        const ends = [from[axis], to[axis]].map((at) => clamp(Math.floor(at), 0, extent[axis] - 1));
        [low[axis], high[axis]] = [Math.min(...ends), Math.max(...ends)];
      }
      setBox(low, high);
    }
    cross(event) {
      const at = this.voxelAt(event);
      for (const axis of [this.a, this.b]) goTo(axis, Math.floor(at[axis]));
    }
  }
  const views = Array.from(document.querySelectorAll(".view[data-axis]"), (figure) => new View(figure))
    .filter((view) => { view.figure.hidden = view.axis >= scan.dimension || (scan.dimension < 3 && view.axis !== 2); return !view.figure.hidden; });
  let isDrawing = false;
  const draw = (isOn) => {
    isDrawing = isOn;
    $("views").classList.toggle("drawing", isOn);
    $("draw").setAttribute("aria-pressed", String(isOn));
  };
  $("draw").addEventListener("click", () => draw(!isDrawing));
  const goTo = (axis, index) => {
    const to = clamp(index, 0, extent[axis] - 1);
    if (to === place[axis]) return;
    place[axis] = to;
    for (const view of views) {
      if (view.axis === axis) {
        view.slider.value = to;
        view.load(false);
      } else view.draw();
    }
  };
  const zoomBy = (factor, around) => {
    const before = zoom;
    zoom = clamp(zoom * factor, 0.5, 64);
    const share = 1 - before / zoom;
    for (let axis = 0; axis < 3; ++axis) focus[axis] += (around[axis] - focus[axis]) * share;
    views.forEach((view) => view.draw());
  };
  const setGray = (black, white) => {
    if (!(white > black)) return;
    gray = { black, white };
    [$("black").value, $("white").value] = [show(black), show(white)];
    views.forEach((view) => view.draw());
  };
  for (const id of ["black", "white"]) $(id).addEventListener("change", () => setGray(Number($("black").value), Number($("white").value)));
  $("opacity").addEventListener("input", () => views.forEach((view) => view.draw()));

  // The table: rows in sight alone are in the document.
  let table = { columns: [], rows: [], all: 0 };
  let rows = [];
  let sizeColumn = 1;
  let order = { column: 1, isDescending: true };
  const ROW = 25;
  const takeTable = (answer) => {
    const isNew = answer.columns.join() !== table.columns.join();
    table = answer;
    componentAt.clear();
    for (const row of table.rows) componentAt.set(row[0], row);
    sizeColumn = Math.max(1, table.columns.findIndex((name) => /^(volume|area|length)_/.test(name)));
    if (isNew) {
      $("filter-column").replaceChildren(...table.columns.map((name) => element("option", headOf(name), { value: name })));
      $("filter-column").value = table.columns.find((name) => name.startsWith("equivalent_")) ?? table.columns[1];
      $("table").tHead.rows[0].replaceChildren(...table.columns.map((name, column) => {
        const cell = element("th", undefined, { scope: "col" });
        const button = element("button", headOf(name), { type: "button", title: name });
        cell.append(button);
        button.addEventListener("click", () => {
          order = { column, isDescending: order.column === column ? !order.isDescending : column !== 0 };
          arrange();
        });
        return cell;
      }));
    }
    arrange();
    drawSizes();
  };
  const headOf = (name) => name.replace(/^equivalent_\w+?_(?=diameter)/, "").replace("voxel_count", "voxels").replace("centroid_", "").replace(/_/g, " ");
  const arrange = () => {
    const column = table.columns.indexOf($("filter-column").value);
    const [least, most] = ["filter-least", "filter-most"].map((id) => $(id).value === "" ? null : Number($(id).value));
    rows = table.rows.filter((row) => (least === null || row[column] >= least) && (most === null || row[column] <= most));
    const sign = order.isDescending ? -1 : 1;
    rows.sort((p, q) => sign * (p[order.column] - q[order.column]) || p[0] - q[0]);
    Array.from($("table").tHead.rows[0].cells).forEach((cell, i) => {
      if (i === order.column) cell.setAttribute("aria-sort", order.isDescending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    });
    $("count").textContent = (rows.length === table.rows.length ? rows.length.toLocaleString("en") : rows.length.toLocaleString("en") + " of " + table.rows.length.toLocaleString("en")) +
      (table.all > table.rows.length ? " (the largest of " + table.all.toLocaleString("en") + ")" : "");
    $("table").setAttribute("aria-rowcount", rows.length + 1);
    showRows();
  };
  const showRows = () => {
    const box = $("rows");
    const first = clamp(Math.floor(box.scrollTop / ROW) - 4, 0, Math.max(0, rows.length - 1));
    const last = Math.min(rows.length, first + Math.ceil(box.clientHeight / ROW) + 10);
    const space = (height) => {
      const line = element("tr", undefined, { class: "space", "aria-hidden": "true" });
      const cell = element("td", undefined, { colspan: table.columns.length });
      cell.style.height = height + "px";
      line.append(cell);
      return line;
    };
    const lines = rows.slice(first, last).map((row, i) => {
      const line = element("tr", undefined, { "aria-rowindex": first + i + 2 });
      line.className = row[0] === chosen ? "chosen" : row[0] === pointed ? "pointed" : "";
      if (row[0] === chosen) line.setAttribute("aria-selected", "true");
      line.dataset.label = row[0];
      table.columns.forEach((name, column) => {
        const cell = element("td");
        if (column === 0) {
          const swatch = element("span", undefined, { class: "swatch" });
          swatch.style.background = "rgb(" + colorOf(row[0]).join() + ")";
          cell.append(swatch);
        }
        cell.append(show(row[column]));
        line.append(cell);
      });
      return line;
    });
    $("table").tBodies[0].replaceChildren(space(first * ROW), ...lines, space((rows.length - last) * ROW));
  };
  $("rows").addEventListener("scroll", () => requestAnimationFrame(showRows));
  for (const id of ["filter-column", "filter-least", "filter-most"]) $(id).addEventListener("input", arrange);
  $("table").tBodies[0].addEventListener("click", (event) => {
    const label = Number(event.target.closest("tr")?.dataset.label);
    if (label) choose(label, true);
  });
  $("rows").addEventListener("keydown", (event) => {
    const at = rows.findIndex((row) => row[0] === chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || rows.length === 0 || event.target !== $("rows")) return;
    event.preventDefault();
    choose(rows[clamp(to, 0, rows.length - 1)][0], true);
  });
  const scrollToRow = (label) => {
    const at = rows.findIndex((row) => row[0] === label);
    const box = $("rows");
    if (at < 0) return;
    const top = at * ROW;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 2 * ROW) box.scrollTop = top - box.clientHeight / 2 + ROW;
  };
  // Chooses a component; `goes` brings the crosshair to it: to its centroid, or, if that is outside of it, to a voxel of it.
  const choose = async (label, goes) => {
    chosen = label;
    scrollToRow(label);
    showRows();
    views.forEach((view) => view.draw());
    solid.draw();
    const row = componentAt.get(label);
    if (!goes || !row) return;
    const centroid = AXES.map((axis) => table.columns.indexOf("centroid_" + axis)).map((column) => column < 0 ? 0 : Math.round(row[column]));
    const jump = async (to) => {
      to.forEach((index, axis) => { place[axis] = clamp(index, 0, extent[axis] - 1); focus[axis] = zoom > 1 ? place[axis] + 0.5 : focus[axis]; });
      await Promise.all(views.map((view) => view.load(false)));
    };
    await jump(centroid);
    const view = views[0];
    const isThere = view.labels?.[place[view.b] * extent[view.a] + place[view.a]] === label;
    const first = row[row.length - 1];
    if (!isThere && chosen === label) await jump([first % extent[0], Math.floor(first / extent[0]) % extent[1], Math.floor(first / extent[0] / extent[1])]);
  };
  let pointed = 0;
  let resting = 0;
  const pointAt = (label) => {
    if (label === pointed) return;
    pointed = label;
    showRows();
    clearTimeout(resting);
    if (label) resting = setTimeout(() => { scrollToRow(label); showRows(); }, 250);
  };

  // The sizes of the components in the table, on a logarithmic axis.
  const drawSizes = () => {
    const column = table.columns.findIndex((name) => name.startsWith("equivalent_"));
    const values = table.rows.map((row) => row[Math.max(column, 1)]).filter((value) => value > 0);
    const [context, width, height] = fitCanvas($("sizes"));
    if (values.length === 0) return;
    const [low, high] = [Math.log(values.reduce((p, q) => Math.min(p, q))) - 0.05, Math.log(values.reduce((p, q) => Math.max(p, q))) + 0.05];
    const counts = new Array(36).fill(0);
    for (const value of values) counts[Math.min(35, Math.floor((Math.log(value) - low) / (high - low) * 36))] += 1;
    const most = Math.max(...counts);
    const bottom = height - 16;
    context.fillStyle = style("--bar");
    counts.forEach((count, i) => {
      const length = count === 0 ? 0 : Math.max(1.5, count / most * (bottom - 14));
      context.fillRect(i * width / 36, bottom - length, width / 36 - 1, length);
    });
    context.fillStyle = style("--soft");
    context.font = "11px system-ui, sans-serif";
    context.fillText(show(Math.exp(low), 2), 0, height - 4);
    context.textAlign = "center";
    context.fillText("equivalent diameter in " + unit, width / 2, height - 4);
    context.textAlign = "right";
    context.fillText(show(Math.exp(high), 2), width, height - 4);
    context.fillText(String(most), width, 10);
    $("sizes").setAttribute("aria-label", "equivalent diameters of " + values.length + " components from " + show(Math.exp(low), 3) + " to " + show(Math.exp(high), 3) + " " + unit);
  };

  // The 3-D view: the surfaces in blocks of voxels, drawn as points with a depth for each pixel. It needs no WebGL.
  const solid = {
    figure: document.querySelector(".view.solid"),
    canvas: document.querySelector(".view.solid canvas"),
    turn: [-0.55, 0.5],
    zoom: 1,
    count: 0,
    async load() {
      if (scan.dimension < 3) return;
      const answer = await fetch("blocks");
      const labels = new Uint32Array(await answer.arrayBuffer());
      const block = JSON.parse(answer.headers.get("X-Block"));
      this.block = Math.max(...block.map((count, axis) => count * spacing[axis]));
      this.reach = Math.hypot(...extent.map((count, axis) => count * spacing[axis])) / 2;
      this.findSurface(labels, block);
      this.draw();
    },
    // The blocks with a neighbor of another kind, each with its normal. Components cut holes into the part; its surface is
    // where neither is.
    findSurface(labels, block) {
      const size = extent.map((count, axis) => Math.ceil(count / block[axis]));
      const found = [];
      const kinds = [];
      for (let z = 0, i = 0; z < size[2]; ++z) {
        for (let y = 0; y < size[1]; ++y) {
          for (let x = 0; x < size[0]; ++x, ++i) {
            const own = labels[i];
            if (own === 0) continue;
            let [nx, ny, nz, isSurface] = [0, 0, 0, false];
            for (let dz = -1; dz <= 1; ++dz) {
              for (let dy = -1; dy <= 1; ++dy) {
                for (let dx = -1; dx <= 1; ++dx) {
                  const isInside = x + dx >= 0 && x + dx < size[0] && y + dy >= 0 && y + dy < size[1] && z + dz >= 0 && z + dz < size[2];
                  const other = isInside ? labels[i + dx + size[0] * (dy + size[1] * dz)] : 0;
                  if (own === IN_PART ? other !== 0 : other === own) continue;
                  nx += dx; ny += dy; nz += dz;
                  isSurface ||= Math.abs(dx) + Math.abs(dy) + Math.abs(dz) === 1;
                }
              }
            }
            if (!isSurface) continue;
            const length = Math.hypot(nx, ny, nz) || 1;
            found.push(((x + 0.5) * block[0] - extent[0] / 2) * spacing[0], ((y + 0.5) * block[1] - extent[1] / 2) * spacing[1],
              ((z + 0.5) * block[2] - extent[2] / 2) * spacing[2], nx / length, ny / length, nz / length);
            kinds.push(own === IN_PART ? 0 : own);
          }
        }
      }
      this.points = Float32Array.from(found);
      this.labels = Uint32Array.from(kinds);
      this.count = kinds.length;
    },
    draw() {
      if (this.frame || !this.points) return;
      this.frame = requestAnimationFrame(() => { this.frame = 0; this.paint(); });
    },
    paint() {
      const [context, width, height] = fitCanvas(this.canvas);
      const { width: w, height: h } = this.canvas;
      if (this.depth?.length !== w * h) {
        this.depth = new Float32Array(w * h);
        this.picked = new Uint32Array(w * h);
        this.image = new ImageData(w, h);
      }
      const out = this.image.data;
      this.depth.fill(-Infinity);
      this.picked.fill(0);
      for (let o = 0; o < out.length; o += 4) { out[o] = 24; out[o + 1] = 25; out[o + 2] = 30; out[o + 3] = 255; }
      const [cy, sy, cx, sx] = [Math.cos(this.turn[0]), Math.sin(this.turn[0]), Math.cos(this.turn[1]), Math.sin(this.turn[1])];
      // Rows: right, down, towards the eye. z points up.
      const right = [cy, sy, 0];
      const down = [-sy * sx, cy * sx, -cx];
      const near = [sy * cx, -cy * cx, -sx];
      const scale = Math.min(w, h) / 2 / this.reach * 1.08 * this.zoom;
      const dot = Math.max(1, Math.ceil(this.block * scale * 1.15));
      const showsPart = $("show-part").checked;
      for (let n = showsPart ? 0 : this.count; n < 2 * this.count; ++n) {
        // The part comes first, components over it.
        const i = n % this.count;
        const label = this.labels[i];
        if ((label === 0) !== n < this.count) continue;
        const p = 6 * i;
        const [x, y, z, nx, ny, nz] = [this.points[p], this.points[p + 1], this.points[p + 2], this.points[p + 3], this.points[p + 4], this.points[p + 5]];
        const facing = nx * near[0] + ny * near[1] + nz * near[2];
        const u = Math.round(w / 2 + (x * right[0] + y * right[1] + z * right[2]) * scale - dot / 2);
        const v = Math.round(h / 2 + (x * down[0] + y * down[1] + z * down[2]) * scale - dot / 2);
        // The chosen component is seen through the others.
        const depth = x * near[0] + y * near[1] + z * near[2] + (label === chosen ? 2 * this.reach : 0);
        if (label === 0) {
          // The part is glass: its edges show.
          const glow = 22 * (1 - Math.abs(facing)) ** 2 + 1.5;
          for (let b = Math.max(0, v); b < Math.min(h, v + dot); ++b) {
            for (let a = Math.max(0, u); a < Math.min(w, u + dot); ++a) {
              const o = 4 * (b * w + a);
              if (this.depth[b * w + a] > -Infinity) continue;
              out[o] += glow * 0.8; out[o + 1] += glow * 0.9; out[o + 2] += glow;
            }
          }
          continue;
        }
        const light = 0.32 + 0.68 * Math.max(0, facing * 0.85 + 0.35 * -(nx * down[0] + ny * down[1] + nz * down[2]) * 0.5 + 0.1);
        const color = label === chosen ? CHOSEN : palette[label & 1023];
        const dim = chosen && label !== chosen ? 0.55 : 1;
        for (let b = Math.max(0, v); b < Math.min(h, v + dot); ++b) {
          for (let a = Math.max(0, u); a < Math.min(w, u + dot); ++a) {
            const at = b * w + a;
            if (depth <= this.depth[at]) continue;
            this.depth[at] = depth;
            this.picked[at] = label;
            out[4 * at] = color[0] * light * dim; out[4 * at + 1] = color[1] * light * dim; out[4 * at + 2] = color[2] * light * dim;
          }
        }
      }
      context.putImageData(this.image, 0, 0);
      this.figure.querySelector(".pointed").textContent = this.count === 0 ? "nothing is labeled" : "";
    },
    listen() {
      let last = null;
      let isClick = false;
      const { canvas } = this;
      const turnBy = (dx, dy) => {
        this.turn[0] += dx;
        this.turn[1] = clamp(this.turn[1] + dy, -1.57, 1.57);
        this.draw();
      };
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        canvas.focus();
        [last, isClick] = [[event.clientX, event.clientY], true];
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!last || event.buttons === 0) return;
        const [dx, dy] = [event.clientX - last[0], event.clientY - last[1]];
        if (isClick && Math.hypot(dx, dy) < 3) return;
        isClick = false;
        last = [event.clientX, event.clientY];
        turnBy(-dx / 120, dy / 120);
      });
      canvas.addEventListener("pointerup", (event) => {
        last = null;
        if (!isClick || !this.picked) return;
        const box = canvas.getBoundingClientRect();
        const [x, y] = [(event.clientX - box.left) / box.width * canvas.width, (event.clientY - box.top) / box.height * canvas.height];
        choose(this.picked[Math.floor(y) * canvas.width + Math.floor(x)] ?? 0, true);
      });
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        this.zoom = clamp(this.zoom * Math.exp(-event.deltaY / 400), 0.5, 12);
        this.draw();
      }, { passive: false });
      canvas.addEventListener("keydown", (event) => {
        const turns = { ArrowLeft: [0.12, 0], ArrowRight: [-0.12, 0], ArrowUp: [0, -0.12], ArrowDown: [0, 0.12] }[event.key];
        if (turns) turnBy(...turns);
        else if (event.key === "+" || event.key === "-") { this.zoom = clamp(this.zoom * (event.key === "+" ? 1.2 : 0.83), 0.5, 12); this.draw(); }
        else return;
        event.preventDefault();
      });
      $("show-part").addEventListener("change", () => this.draw());
      this.figure.hidden = scan.dimension < 3;
    }
  };
  solid.listen();

  // What comes out.
  $("copy").addEventListener("click", async () => {
    const text = $("command").textContent;
    try {
      await navigator.clipboard.writeText(text);
      setState("exact", "command copied");
    } catch {
      getSelection().selectAllChildren($("command"));
      setState("exact", "press Ctrl+C to copy");
    }
  });
  let toSave = null;
  for (const button of document.querySelectorAll("[data-save]")) {
    button.addEventListener("click", () => {
      toSave = { kind: button.dataset.save, overwrite: false };
      $("saving-title").textContent = button.textContent;
      $("file").value = button.dataset.name;
      $("saving-text").textContent = "";
      $("save").textContent = "Save";
      $("saving").showModal();
      $("file").select();
    });
  }
  $("file").addEventListener("input", () => { toSave.overwrite = false; $("save").textContent = "Save"; $("saving-text").textContent = ""; });
  $("cancel").addEventListener("click", () => $("saving").close());
  $("saving").querySelector("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    $("saving-text").textContent = "writing";
    try {
      const answer = await post("save", { generation: result?.generation ?? 0, name: $("file").value.trim(), ...toSave });
      if (answer.exists) {
        toSave.overwrite = true;
        $("save").textContent = "Replace";
        $("saving-text").textContent = answer.exists + " exists. Replace it?";
      } else if (answer.error) {
        $("saving-text").textContent = answer.error;
      } else {
        $("saving").close();
        setState("exact", answer.saved + " saved");
      }
    } catch (error) {
      $("saving-text").textContent = error.message;
    }
  });
  $("keys").addEventListener("click", () => $("help").showModal());
  addEventListener("keydown", (event) => {
    const isText = event.target.matches("input:not([type=range]):not([type=radio]):not([type=checkbox]), select");
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !isText) {
      event.preventDefault();
      if (event.shiftKey) travel(future, past);
      else travel(past, future);
    } else if (event.key.toLowerCase() === "o" && !isText && !event.ctrlKey && !event.metaKey && !event.altKey) {
      isOverlaid = !isOverlaid;
      views.forEach((view) => view.draw());
    } else if (event.key.toLowerCase() === "b" && !isText && !event.ctrlKey && !event.metaKey && !event.altKey) {
      draw(!isDrawing);
    } else if (event.key === "Escape") {
      draw(false);
    }
  });
  addEventListener("resize", () => { drawHistogram(); drawSizes(); views.forEach((view) => view.draw()); solid.draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { drawHistogram(); drawSizes(); });

  setGray(gray.black, gray.white);
  showProposals();
  showSettings();
  if (scan.labels) {
    // A label map of a file comes first; the first move of a setting labels anew.
    result = await getJson("numbers");
    result.command = "";
    showNumbers();
    $("noun").textContent = "components";
    $("share").textContent = "of the image";
    await Promise.all(views.map((view) => view.load(false)));
    setState("exact", "from " + scan.labels);
    await loadRest();
  } else {
    views.forEach((view) => view.load(false));
    ask(true);
  }
})();
