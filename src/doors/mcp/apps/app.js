// Draws a tool's answer in an assistant's window (MCP Apps, 2026-01-26). `apps.ts` puts VIEW and WORDS before
// this text. Answers hold strangers' words, so nothing of them is ever read as HTML.

const root = document.querySelector("main");
const asked = new Map();
let host = { hostCapabilities: {}, hostContext: {} };
let result = null;
let words = WORDS.en;
let language = "en";

function send(message) {
  parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function ask(method, params) {
  const id = asked.size + 1;
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

const heard = {
  "ui/notifications/tool-result": (params) => show(params),
  "ui/notifications/host-context-changed": (params) => {
    host.hostContext = { ...host.hostContext, ...params };
    dress();
    draw();
  },
};

addEventListener("message", ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== "2.0") return;
  const { id, method, params = {}, result: answer, error } = data;
  if (method === undefined) {
    const { resolve, reject } = asked.get(id) ?? {};
    if (error === undefined) resolve?.(answer);
    else reject?.(new Error(error.message));
  } else if (id === undefined) heard[method]?.(params);
  // A ping, and the end of the page.
  else send({ id, result: {} });
});

/** The host's theme, colours, fonts and language. */
function dress() {
  const { theme, styles = {}, locale = navigator.language } = host.hostContext;
  const { documentElement: page } = document;
  if (theme !== undefined) page.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles.variables ?? {})) {
    if (name.startsWith("--") && value) page.style.setProperty(name, value);
  }
  language = locale.toLowerCase().startsWith("ru") ? "ru" : "en";
  page.lang = language;
  words = WORDS[language];
}

function show(answer) {
  result = answer;
  draw();
}

function draw() {
  if (result === null) root.replaceChildren(line("p", words.waiting, "quiet"));
  else if (result.isError) root.replaceChildren(line("p", textOf(result), "quiet"));
  else root.replaceChildren(...VIEWS[VIEW](dataOf(result)));
}

function textOf({ content = [] }) {
  return content.map(({ text = "" }) => text).join("\n");
}

/** Hosts pass on either of the two forms of an answer. */
function dataOf(answer) {
  if (answer.structuredContent) return answer.structuredContent;
  try {
    return JSON.parse(textOf(answer));
  } catch {
    return {};
  }
}

const VIEWS = {
  growth: (data) => [
    ...(data.results === undefined ? card(data) : days(data.results)),
    ...notes(data),
  ],
  comparison: (data) => [
    // The mean of a post's views compares channels better than their sum, and a window has no room for both.
    table((data.results ?? []).map(({ views, ...row }) => row)),
    ...(data.results ?? [])
      .filter(({ best_post: post }) => post)
      .map((one) => section(`${words.bestPost}: ${nameOf(one)}`, posts([one.best_post]))),
    ...notes(data),
  ],
  word: (data) => [
    ...(data.periods === undefined
      ? [...overTime(data), posts(data.results ?? [])]
      : [...ofPeriods(data), topChannels(data.top_channels ?? [])]),
    ...notes(data),
  ],
  posts: (data) => [posts(data.results ?? []), ...notes(data)],
  trends: (data) => [
    ...((data.results ?? []).length === 0 ? [line("p", words.noTrends, "quiet")] : []),
    list(data.results ?? [], trend),
    ...notes(data),
  ],
};

/** A card, and its days if the person asks for them, since they cost a unit. */
function card(channel) {
  const { id, title, handle, link, description, metrics, ...rest } = channel;
  const figures = { subscribers: rest.subscribers, ...metrics };
  const parts = [
    element("header", {}, [
      line("h1", title ?? nameOf(channel)),
      ...(handle ? [line("span", `@${handle}`, "quiet")] : []),
      ...linkTo(link),
    ]),
    ...(description ? [line("p", description, "text")] : []),
    figureList(figures),
  ];
  if (id !== undefined && host.hostCapabilities.serverTools) {
    const button = line("button", words.showDays);
    button.addEventListener("click", async () => {
      button.disabled = true;
      const call = { name: "msgr_stats_daily_list", arguments: { channels: String(id) } };
      try {
        const answer = await ask("tools/call", call);
        const drawn = answer.isError
          ? [line("p", textOf(answer), "quiet")]
          : days(dataOf(answer).results ?? []);
        button.replaceWith(...drawn);
      } catch (error) {
        button.replaceWith(line("p", error.message, "quiet"));
      }
    });
    parts.push(button);
  }
  return parts;
}

function figureList(figures) {
  const known = Object.entries(figures).filter(
    ([name, value]) => words.fields[name] !== undefined && value != null,
  );
  return element(
    "dl",
    {},
    known.map(([name, value]) =>
      element("div", {}, [line("dt", words.fields[name]), line("dd", shown(value, name))]),
    ),
  );
}

/** A line of subscribers for each channel. */
function days(rows) {
  const channels = Map.groupBy(
    rows.filter(({ day, subscribers }) => dayIn(day) && Number.isFinite(subscribers)),
    ({ channel }) => channel,
  );
  if (channels.size === 0) return [table(rows)];
  return [...channels.values()].map((all) => {
    const points = all.toSorted((one, other) => (one.day < other.day ? -1 : 1));
    const [first, last] = [points[0], points.at(-1)];
    const change = last.subscribers - first.subscribers;
    const facts = `${number(last.subscribers)} (${change > 0 ? "+" : ""}${number(change)})`;
    return section(`${nameOf(first)}: ${facts}`, lineChart(points), [
      line("p", `${date(first.day)} – ${date(last.day)}`, "quiet"),
    ]);
  });
}

/** All posts by period. */
function ofPeriods({ periods, posts: all = 0 }) {
  if (periods.length === 0 || all === 0) return [line("p", words.noPosts, "quiet")];
  return [
    section(`${words.fields.posts}: ${number(all)}`, barChart(periods.map(({ posts }) => posts)), [
      line("p", `${date(periods[0].from)} – ${date(periods.at(-1).from)}`, "quiet"),
    ]),
  ];
}

/** The channels that write most; a window has no room for long titles. */
function topChannels(top) {
  const short = ({ title }) => (title.length > TITLE_MAX ? `${title.slice(0, TITLE_MAX)}…` : title);
  return table(top.map(({ channel, posts, views }) => ({ channel: short(channel), posts, views })));
}

const TITLE_MAX = 40;

/** Posts by day: of those that were shown, which are the newest or the most read of all matches. */
function overTime({ results = [], matches, matches_capped: isCapped }) {
  const counted = new Map();
  for (const { published_at: at } of results) {
    const day = dayIn(at);
    if (day !== undefined) counted.set(day, (counted.get(day) ?? 0) + 1);
  }
  if (counted.size === 0) return [];
  const known = [...counted.keys()].toSorted();
  const from = Date.parse(known[0]);
  const length = (Date.parse(known.at(-1)) - from) / DAY_MS + 1;
  const bars = Array.from({ length: Math.min(length, BARS_MAX) }, () => 0);
  for (const [day, count] of counted) {
    bars[Math.floor((((Date.parse(day) - from) / DAY_MS) * bars.length) / length)] += count;
  }
  const of = matches === undefined ? "" : ` / ${number(matches)}${isCapped ? "+" : ""}`;
  return [
    section(`${words.postsByDay}: ${number(results.length)}${of}`, barChart(bars), [
      line("p", `${date(known[0])} – ${date(known.at(-1))}`, "quiet"),
    ]),
  ];
}

const DAY_MS = 86_400_000;
const BARS_MAX = 120;

function posts(all) {
  return list(all, postItem);
}

/** The first ones, and the others if the person asks for them: a window is small. */
function list(all, itemOf) {
  const made = element("ol", {}, all.slice(0, ITEMS_MAX).map(itemOf));
  if (all.length <= ITEMS_MAX) return made;
  const button = line("button", `${words.showAll} (${number(all.length)})`);
  button.addEventListener("click", () => {
    made.append(...all.slice(ITEMS_MAX).map(itemOf));
    button.remove();
  });
  return element("section", {}, [made, button]);
}

const ITEMS_MAX = 10;

function postItem(post) {
  const { text = post.snippet, link, is_ad: isAd, published_at: at, views } = post;
  const about = [
    post.channel === undefined ? null : nameOf(post.mentioned_by ?? post),
    dayIn(at) ? date(at) : null,
    views == null ? null : `${words.fields.views}: ${number(views)}`,
    isAd ? words.fields.is_ad : null,
  ].filter((part) => part !== null);
  return element("li", {}, [
    line("p", about.join(" · "), "quiet"),
    ...(text
      ? [line("p", text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}…` : text, "text")]
      : []),
    ...linkTo(link),
  ]);
}

/** A word, how many channels use it, its posts by hour, and the post that is read most. */
function trend({ words: said, channels, growth, by_hour: hours, top_posts: top = [], ...rest }) {
  const usual = rest.channels_usual;
  const about = [
    `${words.channels}: ${number(channels ?? 0)}`,
    usual == null ? null : `${words.usually}: ${number(usual)}`,
    growth == null ? null : `×${number(growth)}`,
    rest.posts == null ? null : `${words.fields.posts}: ${number(rest.posts)}`,
  ].filter((part) => part !== null);
  return element("li", { class: "trend" }, [
    line("h2", said ?? ""),
    line("p", about.join(" · "), "quiet"),
    ...(hours?.some((posts) => posts > 0) ? [barChart(hours)] : []),
    ...top
      .slice(0, 1)
      .flatMap(({ channel_title: title, link }) => [
        ...(title === undefined ? [] : [line("p", `${words.mostRead}: ${title}`, "quiet")]),
        ...linkTo(link),
      ]),
  ]);
}

const TEXT_MAX = 400;

/** Rows with the fields that the language has a name for; a bar shows each number beside the largest. */
function table(rows) {
  const names = Object.keys(rows[0] ?? {}).filter((name) => words.fields[name] !== undefined);
  const largest = (name) => Math.max(...rows.map((row) => Math.abs(Number(row[name]) || 0)));
  const head = names.map((name) => line("th", words.fields[name]));
  const body = rows.map((row) => {
    const cells = names.map((name) => {
      const cell = line("td", shown(row[name], name));
      const isCompared = typeof row[name] === "number" && name !== "channel" && largest(name) > 0;
      if (isCompared) {
        const bar = element("i", { class: row[name] < 0 ? "less" : "more" });
        bar.style.width = `${(100 * Math.abs(row[name])) / largest(name)}%`;
        cell.append(bar);
      }
      return cell;
    });
    return element("tr", {}, cells);
  });
  const drawn = element("table", {}, [
    element("thead", {}, [element("tr", {}, head)]),
    element("tbody", {}, body),
  ]);
  return element("div", { class: "wide" }, [drawn]);
}

/** What the answer says about itself, without what it tells the model to call. */
function notes({ note }) {
  const said = note?.replace(/For more call [^.]*\./, "").trim();
  return said ? [line("p", said, "quiet")] : [];
}

const SIZE = { width: 600, height: 140 };

function lineChart(points) {
  const values = points.map(({ subscribers }) => subscribers);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = most - least || 1;
  const x = (at) => (points.length === 1 ? 0 : (at * SIZE.width) / (points.length - 1));
  const y = (value) => SIZE.height - ((value - least) / range) * (SIZE.height - 8) - 4;
  const path = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const drawn = drawing("polyline", { points: path, class: "curve" });
  return chart([drawn], `${number(least)} – ${number(most)}`);
}

function barChart(bars) {
  const most = Math.max(...bars);
  const step = SIZE.width / bars.length;
  const drawn = bars.map((count, at) => {
    const height = (count / most) * (SIZE.height - 4);
    const place = { x: at * step, y: SIZE.height - height, height };
    return drawing("rect", {
      ...place,
      width: Math.max(1, Math.min(step * 0.8, 40)),
      class: "bar",
    });
  });
  return chart(drawn, `0 – ${number(most)}`);
}

function chart(shapes, label) {
  const viewBox = `0 0 ${SIZE.width} ${SIZE.height}`;
  const options = { viewBox, role: "img", "aria-label": label, preserveAspectRatio: "none" };
  return element("figure", {}, [
    drawing("svg", options, shapes),
    line("figcaption", label, "quiet"),
  ]);
}

/** A button that asks the host to open an address; none where the host opens nothing. */
function linkTo(address) {
  if (!host.hostCapabilities.openLinks || !/^https:\/\//.test(address ?? "")) return [];
  const button = line("button", words.open, "link");
  button.addEventListener("click", () => ask("ui/open-link", { url: address }).catch(() => {}));
  return [button];
}

function nameOf({ channel, title }) {
  return title ?? `${words.fields.channel} ${channel ?? ""}`.trim();
}

function number(value) {
  return value.toLocaleString(language);
}

function dayIn(text) {
  return /^\d{4}-\d\d-\d\d/.exec(text)?.[0];
}

function date(text) {
  return new Date(dayIn(text) ?? Number.NaN).toLocaleDateString(language, {
    ...{ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" },
  });
}

function shown(value, name) {
  if (value == null) return "–";
  if (typeof value !== "number") return dayIn(value) ? date(value) : String(value);
  const text = name === "channel" ? String(value) : number(value);
  return name.startsWith("growth") && value > 0 ? `+${text}` : text;
}

function section(title, content, more = []) {
  return element("section", {}, [line("h2", title), content, ...more]);
}

function line(name, text, kind) {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind !== undefined) made.className = kind;
  return made;
}

function element(name, attributes, children = []) {
  return filled(document.createElement(name), attributes, children);
}

function drawing(name, attributes, children = []) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  const params = { width: Math.ceil(width), height: Math.ceil(height) };
  send({ method: "ui/notifications/size-changed", params });
}).observe(document.documentElement);

dress();
draw();
host = await ask("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "kanalog", version: "1" },
  appCapabilities: {},
});
dress();
draw();
send({ method: "ui/notifications/initialized" });
