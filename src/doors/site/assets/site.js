// Without this script every page works; with it, some are more pleasant.

/** Shows the buttons that copy; browsers have no clipboard for a page of another machine over plain http. */
function offerCopies(part) {
  if (!navigator.clipboard) return;
  for (const button of part.querySelectorAll("button[data-copy]")) button.hidden = false;
}
offerCopies(document);
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button[data-copy]");
  if (button === null) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  button.textContent = button.dataset.copied;
});

// A form that is shown again may be below what is seen: one goes on at its first fault.
document.querySelector("main [aria-invalid]")?.focus();

// On a phone each row is a block, and each of its cells says which column it is of.
for (const table of document.querySelectorAll("table.data")) {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  for (const { cells } of table.tBodies[0].rows) {
    for (const [at, cell] of [...cells].entries()) {
      // A button says itself what it does.
      const isButton = cell.querySelector("button") !== null && !cell.querySelector("select");
      if (!isButton && cell.textContent.trim() !== "") cell.dataset.label = names[at];
    }
  }
  table.classList.add("named");
}

// On a phone the rows of links are moved sideways: where one is, is to be seen.
for (const link of document.querySelectorAll(
  "header nav a[aria-current], nav.console a[aria-current]",
)) {
  const row = link.closest("ul");
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

/** A colour of the style sheet as a canvas takes it: `light-dark()` is resolved by an element only. */
function inkOf(property) {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.color = `var(${property})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const CHART_FONT = `12px ${getComputedStyle(document.body).fontFamily}`;

/** Of an axis: there is no half of a request. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

const dayStart = (day) => Date.parse(`${day}T00:00:00+03:00`) / 1000;

/** Half of a day's label, which stands below the axis at the first day. */
const AXIS_MIN = 32;

/** The room that an axis takes: its longest label is seen whole, and the first day's. */
function sizeOf(chart, labels, at, cycle) {
  const axis = chart.axes[at];
  // Measured once while it is drawn, or the sizes of both axes would go on changing each other.
  if (cycle > 1) return axis._size;
  chart.ctx.font = axis.font[0];
  const widths = (labels ?? []).map((label) => chart.ctx.measureText(label).width);
  const size = Math.ceil(axis.ticks.size + axis.gap + Math.max(0, ...widths) / devicePixelRatio);
  return Math.max(size, AXIS_MIN);
}

/** Days without a reading that a line crosses. Over more it would show a course that nobody knows. */
const BRIDGED_DAYS = 92;

/** Parts of the picture in which a line is not drawn, from left to right. */
function gapsOf(chart, at) {
  const [days, values] = [chart.data[0], chart.data[at]];
  const known = days.filter((_, place) => values[place] !== null);
  const place = (day) => Math.round(chart.valToPos(day, "x", true));
  return known.flatMap((day, next) =>
    next > 0 && day - known[next - 1] > BRIDGED_DAYS * 86_400
      ? [[place(known[next - 1]), place(day)]]
      : [],
  );
}

// A chart is drawn from the table that it stands for: the first column has the days. A column is a line,
// bars, beside lines on an axis of their own at the right, or not drawn at all; a colour that means something is named.
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
  const numberText = (value) => (isPercent ? PERCENTS.format(value / 100) : NUMBERS.format(value));
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
      points: { show: !isBars && rows.length < 45, size: 5, fill: stroke },
      value: (_, value) => (value == null ? "–" : numberText(value)),
    };
  });
  // Bars lie behind lines.
  const order = [...lines.keys()].sort((one, other) => lines[one].width - lines[other].width);
  const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: CHART_FONT };
  const ofDays = {
    ...axis,
    grid: { show: false },
    size: 34,
    space: 64,
    incrs: [1, 2, 3, 5, 7, 10, 14, 30, 61, 91, 182, 365, 730].map((days) => days * 86_400),
    values: (_, splits) => splits.map((instant) => SHORT_DAYS.format(instant * 1000)),
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
    value: (_, instant) => (instant == null ? "–" : DAYS.format(instant * 1000)),
  };
  // All of the period, the days of which nothing is known too; a bar's half stands out at each end.
  const half = hasBars ? 43_200 : 0;
  const period = [dayStart(place.dataset.from) - half, dayStart(place.dataset.to) + half];
  const options = () => ({ width: place.clientWidth, height: 300 });
  const chart = new uPlot(
    {
      ...options(),
      // Days are Moscow's, wherever the browser is.
      tzDate: (instant) => uPlot.tzDate(new Date(instant * 1000), MOSCOW_ZONE),
      scales: {
        x: { range: () => period },
        // Bars take the lower half, so that lines are seen before them.
        right: { range: (_, low, high) => [0, Math.max(1, high, low) * 2] },
        ...(!hasLines && { y: { range: (_, low, high) => [0, Math.max(1, high, low)] } }),
      },
      // Until somebody points at a day, the legend tells the last.
      hooks: { ready: [(ready) => ready.setLegend({ idx: rows.length - 1 })] },
      series: [day, ...order.map((at) => lines[at])],
      axes,
    },
    [columns[0], ...order.map((at) => columns[at + 1])],
    place,
  );
  new ResizeObserver(() => chart.setSize(options())).observe(place);
}

// The catalog is searched as one types.
const search = document.querySelector("form[data-live]");
if (search !== null) {
  const results = document.getElementById(search.dataset.live);
  const summary = document.getElementById(`${results.id}-summary`);
  let last = null;
  let asked = 0;
  search.addEventListener("input", () => {
    clearTimeout(last);
    last = setTimeout(async () => {
      asked += 1;
      const turn = asked;
      const given = [...new FormData(search)].filter(([, value]) => value !== "");
      const query = new URLSearchParams(given);
      const answer = await fetch(`${location.pathname}?${query}`);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById(results.id);
      // An answer may come after the one to what was typed later.
      if (found === null || turn !== asked) return;
      results.replaceChildren(...found.childNodes);
      offerCopies(results);
      if (summary !== null) summary.textContent = found.dataset.summary;
      history.replaceState(null, "", `?${query}`);
    }, 200);
  });
}

// Channels are found as one types, and offered to be chosen.
for (const picker of document.querySelectorAll("[data-picker]")) {
  const input = picker.querySelector("input");
  const offered = picker.querySelector("ul");
  const target = document.getElementById(picker.dataset.adds ?? "");
  picker.hidden = false;
  let last = null;
  let asked = 0;
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
    // A handle says more than a number where it is added to others.
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
    // Where the field adds to another one, its form is not sent yet.
    if (event.key !== "Enter" || (target === null && first === null)) return;
    event.preventDefault();
    first?.click();
  });
  input.addEventListener("input", () => {
    clearTimeout(last);
    last = setTimeout(async () => {
      asked += 1;
      const turn = asked;
      const text = input.value.trim();
      const found =
        text === ""
          ? []
          : await (await fetch(picker.dataset.picker + encodeURIComponent(text))).json();
      if (turn !== asked) return;
      const none = document.createElement("li");
      none.textContent = picker.dataset.none;
      offered.replaceChildren(...(found.length > 0 || text === "" ? found.map(offerOf) : [none]));
    }, 200);
  });
}

// What is under way is looked at again until it has ended.
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
