// Every page works without this script; some are more convenient with it.

/** Shows the copy buttons; browsers offer no clipboard to pages of another machine over plain http. */
function showCopyButtons(part) {
  if (!navigator.clipboard) return;
  for (const button of part.querySelectorAll("button[data-copy]")) button.hidden = false;
}
showCopyButtons(document);
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-copy]");
  if (button === null) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = button.dataset.copied;
});

// The first call of a new key: made here by a button, or by the reader's own command, which is looked for.
for (const step of document.querySelectorAll("[data-first-call]")) {
  const [button, answer] = [step.querySelector("[data-run]"), step.querySelector(".answer")];
  const { run, key } = button.dataset;
  const came = () => {
    step.classList.add("done");
    step.querySelector("h2 small").hidden = false;
  };
  button.hidden = false;
  button.addEventListener("click", async () => {
    const response = await fetch(run, { headers: { authorization: `Bearer ${key}` } });
    answer.textContent = JSON.stringify(await response.json(), null, 2);
    answer.hidden = false;
    if (response.ok) came();
  });
  const isUsed = async () => (await (await fetch("../keys/prefix/")).json()).isUsed;
  const looking = setInterval(async () => {
    if (!document.hidden && (await isUsed())) came();
    if (step.matches(".done")) clearInterval(looking);
  }, 3_000);
}

// A form with faults may be below the visible part of the page, so its first fault gets the focus.
document.querySelector("main [aria-invalid]")?.focus();

// On a phone each row becomes a block, and each of its cells is labelled with its column's name.
for (const table of document.querySelectorAll("table.data")) {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  for (const { cells } of table.tBodies[0].rows) {
    for (const [at, cell] of [...cells].entries()) {
      // Buttons need no label, and a text across columns has none.
      const isButton = cell.querySelector("button") !== null && !cell.querySelector("select");
      const isLabelled = !isButton && cell.colSpan === 1 && cell.textContent.trim() !== "";
      if (isLabelled) cell.dataset.label = names[at];
    }
  }
  table.classList.add("named");
}

// On a phone the rows of links scroll sideways, so the current link is scrolled into view.
for (const link of document.querySelectorAll("header nav a[aria-current]")) {
  const row = link.closest(".console") ?? link.closest("ul");
  row.scrollLeft = link.offsetLeft - (row.clientWidth - link.clientWidth) / 2;
}

const { locale: LOCALE } = document.body.dataset;
const MOSCOW_ZONE = "Europe/Moscow";
const NUMBERS = new Intl.NumberFormat(LOCALE);
const PERCENTS = new Intl.NumberFormat(LOCALE, { style: "percent", maximumFractionDigits: 2 });
const DAYS = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeZone: MOSCOW_ZONE });
const SHORT_DAYS = new Intl.DateTimeFormat(LOCALE, {
  day: "numeric",
  month: "short",
  timeZone: MOSCOW_ZONE,
});

/** A colour of the style sheet for a canvas, which cannot resolve `light-dark()`; only elements can. */
function inkOf(property) {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = `var(${property})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const CHART_FONT = `12px ${getComputedStyle(document.body).fontFamily}`;

/** Steps of an axis for counts, which has no fractions. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

const dayStart = (day) => Date.parse(`${day}T00:00:00+03:00`) / 1000;

/** Least width of an axis: half of the first day's label, which is centred below its edge. */
const AXIS_MIN = 32;

/** Width of an axis, so that its longest label and the first day's label are completely visible. */
function sizeOf(chart, labels, at, cycle) {
  const axis = chart.axes[at];
  // Only measured in the first layout cycle; otherwise the two axes' sizes would keep changing each other.
  if (cycle > 1) return axis._size;
  chart.ctx.font = axis.font[0];
  const widths = (labels ?? []).map((label) => chart.ctx.measureText(label).width);
  const size = Math.ceil(axis.ticks.size + axis.gap + Math.max(0, ...widths) / devicePixelRatio);
  return Math.max(size, AXIS_MIN);
}

const DAY_S = 86_400;

/** Time from one row to the next: a day, or about a week or month, the first of which may be cut short. */
function stepOf(days) {
  const [first = DAY_S, ...others] = days.slice(1).map((day, at) => day - days[at]);
  return others.length === 0 ? first : Math.min(...others);
}

/** Days with a value. */
const knownDays = (chart, at) => chart.data[0].filter((_, place) => chart.data[at][place] != null);

/** Parts of the chart in which a line is not drawn, since a day has no reading: pixels from left to right. */
function gapsOf(chart, at) {
  const known = knownDays(chart, at);
  const place = (day) => Math.round(chart.valToPos(day, "x", true));
  return known.flatMap((day, next) =>
    next > 0 && day - known[next - 1] > DAY_S ? [[place(known[next - 1]), place(day)]] : [],
  );
}

/** Readings that are drawn as points: all of a few, or else those between two gaps. */
function pointsOf(chart, at) {
  const known = new Set(knownDays(chart, at));
  return chart.data[0].flatMap((day, place) => {
    const isAlone = !known.has(day - DAY_S) && !known.has(day + DAY_S);
    return known.has(day) && (known.size < 45 || isAlone) ? [place] : [];
  });
}

// A chart is drawn from the table that belongs to it, whose first column contains the days. `data-draw` says
// whether a column is drawn as a line (the default), as bars or not at all; bars beside lines have an axis of
// their own at the right. `data-ink` names a colour with a meaning.
for (const place of document.querySelectorAll("[data-chart]")) {
  const table = document.getElementById(place.dataset.chart);
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...table.tBodies[0].rows];
  const drawn = heads.map((_, at) => at).filter((at) => heads[at].dataset.draw !== "none");
  const columns = drawn.map((at) =>
    rows.map((row) => {
      const { value } = row.cells[at].dataset;
      if (at === 0) return dayStart(value);
      return value === "" ? null : Number(value);
    }),
  );
  const ink = inkOf("--quiet");
  const grid = { stroke: inkOf("--line"), width: 1 };
  const isPercent = place.dataset.unit === "%";
  // A minus sign, as in the tables.
  const numberText = (value) =>
    (isPercent ? PERCENTS.format(value / 100) : NUMBERS.format(value)).replace("-", "\u2212");
  const ofNumbers = (_, values) => values.map(numberText);
  const bars = uPlot.paths.bars({ size: [0.7, 40] });
  const hasBars = drawn.some((at) => heads[at].dataset.draw === "bars");
  const hasLines = drawn.slice(1).some((at) => heads[at].dataset.draw !== "bars");
  const lines = drawn.slice(1).map((at, place) => {
    const isBars = heads[at].dataset.draw === "bars";
    const stroke = inkOf(heads[at].dataset.ink ?? `--chart-${place + 1}`);
    return {
      label: heads[at].textContent,
      scale: isBars && hasLines ? "right" : "y",
      stroke,
      width: isBars ? 0 : 2,
      ...(isBars && {
        fill: hasLines ? `color-mix(in srgb, ${stroke} 45%, transparent)` : stroke,
        paths: bars,
      }),
      gaps: gapsOf,
      points: isBars ? { show: false } : { filter: pointsOf, size: 5, fill: stroke },
      value: (_, value) => (value == null ? "–" : numberText(value)),
    };
  });
  // Bars are drawn first, so that they are behind the lines.
  const order = [...lines.keys()].sort((one, other) => lines[one].width - lines[other].width);
  // Bars are as wide as the narrowest step: that of a week cut short would make all of them thin.
  const days = columns[0];
  const step = hasBars && !hasLines ? stepOf(days) : DAY_S;
  const places = [Math.min(days[0], (days[1] ?? Infinity) - step), ...days.slice(1)];
  const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: CHART_FONT };
  const ofDays = {
    ...axis,
    grid: { show: false },
    size: 34,
    space: 64,
    incrs: [1, 2, 3, 5, 7, 10, 14, 30, 61, 91, 182, 365, 730].map((days) => days * 86_400),
    values: (_, splits) => splits.map((instant) => SHORT_DAYS.format(instant * 1000)),
    // Weeks and months are marked at their bars.
    ...(step > DAY_S && {
      splits: (_, __, ___, ____, least) =>
        places.filter((_, at) => at % Math.ceil(least / step) === 0),
      values: (_, splits) =>
        splits.map((place) => SHORT_DAYS.format(days[places.indexOf(place)] * 1000)),
    }),
  };
  const axes = [
    ofDays,
    { ...axis, size: sizeOf, values: ofNumbers, ...(!isPercent && { incrs: WHOLE_STEPS }) },
  ];
  if (hasBars && hasLines) {
    const none = { show: false };
    axes.push({ ...axes[1], scale: "right", side: 1, grid: none });
  }
  const day = {
    label: heads[0].textContent,
    value: (_, __, ___, at) => (at == null ? "–" : DAYS.format(days[at] * 1000)),
  };
  // The whole period, including days without data, plus half a bar at each end.
  const half = hasBars ? step / 2 : 0;
  const period = [
    Math.min(dayStart(place.dataset.from), places[0]) - half,
    dayStart(place.dataset.to) + half,
  ];
  const options = () => ({ width: place.clientWidth, height: 300 });
  const chart = new uPlot(
    {
      ...options(),
      // Days are in Moscow time, wherever the browser is.
      tzDate: (instant) => uPlot.tzDate(new Date(instant * 1000), MOSCOW_ZONE),
      scales: {
        x: { range: () => period },
        // Bars only take the lower half, so that lines remain visible.
        right: { range: (_, low, high) => [0, Math.max(1, high, low) * 2] },
        ...(!hasLines && { y: { range: (_, low, high) => [0, Math.max(1, high, low)] } }),
      },
      // Until somebody points at a day, the legend shows the last one.
      hooks: { ready: [(ready) => ready.setLegend({ idx: rows.length - 1 })] },
      series: [day, ...order.map((at) => lines[at])],
      axes,
    },
    [places, ...order.map((at) => columns[at + 1])],
    place,
  );
  new ResizeObserver(() => chart.setSize(options())).observe(place);
}

// Searches while somebody types.
const search = document.querySelector("form[data-live]");
if (search !== null) {
  const results = document.getElementById(search.dataset.live);
  const summary = document.getElementById(`${results.id}-summary`);
  // The head of the folded filters counts those in use.
  const folded = "form[data-live] summary";
  let last = null;
  let requests = 0;
  search.addEventListener("input", () => {
    clearTimeout(last);
    last = setTimeout(async () => {
      requests += 1;
      const own = requests;
      const given = [...new FormData(search)].filter(([, value]) => value !== "");
      const query = new URLSearchParams(given);
      const answer = await fetch(`${location.pathname}?${query}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById(results.id);
      // Answers may arrive out of order; only the one to the latest text is shown.
      if (found === null || own !== requests) return;
      results.replaceChildren(...found.childNodes);
      showCopyButtons(results);
      if (summary !== null) summary.textContent = found.dataset.summary;
      document.querySelector(folded).textContent = page.querySelector(folded).textContent;
      history.replaceState(null, "", `?${query}`);
    }, 200);
  });
}

// Suggests channels while somebody types.
for (const picker of document.querySelectorAll("[data-picker]")) {
  const input = picker.querySelector("input");
  const offered = picker.querySelector("ul");
  const target = document.getElementById(picker.dataset.adds ?? "");
  picker.hidden = false;
  let last = null;
  let requests = 0;
  const choose = (named) => {
    if (target === null) input.value = named;
    else target.value = [...new Set([...target.value.split(/[\s,]+/), named])].join(" ").trim();
    offered.replaceChildren();
    if (picker.dataset.sends) input.form.submit();
    else input.value = "";
    input.focus();
  };
  const offerOf = ({ id, title, handle, subscribers }) => {
    const item = document.createElement("li");
    const button = item.appendChild(document.createElement("button"));
    button.type = "button";
    button.className = "plain";
    button.textContent = title.trim() === "" ? id : title;
    // In a list of several channels, a handle is easier to recognize than a number.
    button.addEventListener("click", () =>
      choose(target !== null && handle ? `@${handle}` : String(id)),
    );
    const more = item.appendChild(document.createElement("small"));
    more.textContent = [handle && `@${handle}`, NUMBERS.format(subscribers)]
      .filter(Boolean)
      .join(" · ");
    return item;
  };
  input.addEventListener("keydown", (event) => {
    const first = offered.querySelector("button");
    // In a field that adds to another one, Enter must not submit the form.
    if (event.key !== "Enter" || (target === null && first === null)) return;
    event.preventDefault();
    first?.click();
  });
  input.addEventListener("input", () => {
    clearTimeout(last);
    last = setTimeout(async () => {
      requests += 1;
      const own = requests;
      const text = input.value.trim();
      const found =
        text === ""
          ? []
          : await (await fetch(picker.dataset.picker + encodeURIComponent(text))).json();
      if (own !== requests) return;
      const none = document.createElement("li");
      none.textContent = picker.dataset.none;
      offered.replaceChildren(...(found.length > 0 || text === "" ? found.map(offerOf) : [none]));
    }, 200);
  });
}

// Refreshes something in progress every second until it has ended.
const running = document.querySelector("[data-refresh]");
if (running !== null) {
  setTimeout(async function look() {
    const answer = await fetch(location.href);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const found = page.getElementById(running.id);
    if (found === null) return;
    running.replaceChildren(...found.childNodes);
    if (found.hasAttribute("data-refresh")) setTimeout(look, 1000);
  }, 1000);
}
