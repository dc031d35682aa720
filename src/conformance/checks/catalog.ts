import type { Check, Json, Kit } from "../check.ts";
import { check, differs, each, Missing, objectsIn, unless } from "../check.ts";
import { fill, listed, look } from "../sight.ts";
import { answer, numbersOf, refused, results, same, taken } from "./answers.ts";

const CATALOG = "/v1/msgr/channels/";
const RESOLVE = `${CATALOG}resolve/`;

/** As search compares: case and ё do not matter. */
const folded = (text: unknown): string =>
  String(text ?? "")
    .toLowerCase()
    .replaceAll("ё", "е");
const wordsOf = (text: unknown): string[] => folded(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
const contains = ({ title, handle }: Json, q: string): boolean =>
  folded(title).includes(folded(q)) ||
  folded(handle).includes(folded(q)) ||
  (wordsOf(q).length > 1 &&
    wordsOf(q).every((word) =>
      [...wordsOf(title), ...wordsOf(handle)].some((one) => one.startsWith(word)),
    ));

/** Codes of a territory and those below it. */
async function codesBelow(kit: Kit, code: string): Promise<readonly unknown[]> {
  const nodes = await listed(kit, "/v1/msgr/territories/");
  return nodes.filter(({ path }) => String(path).split("/").includes(code)).map(({ slug }) => slug);
}

/** Filters, whether a card may be in their answer, and the filter that leaves the other channels. */
const FILTERS: readonly (readonly [
  query: string,
  holds: (card: Json, value: string, kit: Kit) => Promise<boolean> | boolean,
  rest?: string,
])[] = [
  [
    "category={category}",
    ({ category, categories }, code) => [category, ...(categories as unknown[])].includes(code),
  ],
  [
    "territory={territory}",
    async ({ territory }, code, kit) => (await codesBelow(kit, code)).includes(territory),
  ],
  ["kind=channel", ({ kind }) => kind === "channel"],
  ["kind=chat", ({ kind }) => kind === "chat"],
  [
    "subscribers_min=100000",
    ({ subscribers }) => Number(subscribers) >= 100_000,
    "subscribers_max=99999",
  ],
  ["subscribers_max=99999", ({ subscribers }) => Number(subscribers) < 100_000],
  ["a_plus=true", (card) => card["a_plus"] === true, "a_plus=false"],
  ["a_plus=false", (card) => card["a_plus"] === false],
  ["verified=true", ({ verified }) => verified === true, "verified=false"],
  ["verified=false", ({ verified }) => verified === false],
  ["q={title}", contains],
  [
    "q=@{handle}",
    ({ handle, former_handles: former }, q) =>
      [handle, ...(former as unknown[])].map((one) => `@${folded(one)}`).includes(folded(q)),
  ],
  ["growth_30d_min=1", ({ metrics }) => Number((metrics as Json)["growth_30d"]) >= 1],
];

const filters = FILTERS.flatMap(([query, holds, rest]): Check[] => {
  const clause = query.startsWith("growth") ? "questions 2" : "spec 4 catalog";
  const page = `${CATALOG}?${query}&include=metrics&limit=100`;
  const count = async (kit: Kit, more: string) =>
    Number((await look(kit, `${CATALOG}stats/?${more}`)).body["channels"]);
  const checks = [
    check(clause, `${query} finds only what it says`, async (kit) => {
      const value = decodeURIComponent(await fill(kit, query.slice(query.indexOf("=") + 1)));
      for (const card of await listed(kit, page)) {
        if (!(await holds(card, value, kit))) return `it finds ${JSON.stringify(card)}`;
      }
      return null;
    }),
    check(clause, `${query} is combined with others by AND`, async (kit) => {
      const cards = await listed(kit, page);
      const half = cards[Math.floor(cards.length / 2)];
      const both = await look(kit, `${page}&verified=${half?.["verified"]}`);
      const expected = cards.filter(({ verified }) => verified === half?.["verified"]);
      if (query.startsWith("verified")) return null;
      const found = objectsIn(both.body["results"]).slice(0, expected.length);
      return differs("what is found first", found, expected);
    }),
    check("questions 2", `${query} finds as many as are counted`, async (kit) => {
      const cards = await listed(kit, page);
      if (cards.length === 100) throw new Missing("more than a page of channels");
      return differs("the number", cards.length, await count(kit, query));
    }),
  ];
  if (rest === undefined) return checks;
  const sum = check("questions 2", `${query} and ${rest} together are all channels`, async (kit) =>
    differs(
      "their sum",
      (await count(kit, query)) + (await count(kit, rest)),
      await count(kit, ""),
    ),
  );
  return [...checks, sum];
});

/** Characters that a database or a pattern may take for its own. */
const PLAIN = "%25%25%25|___|''';|\"\"\"|a*b*c|NEAR(a,b)|a+AND+b|-abc|(((|col:x".split("|");
const plain = PLAIN.map((q) =>
  answer(
    ...(["decisions 3 catalog", `${CATALOG}?q=${q}&limit=20`, "plain characters"] as const),
    ({ body }) =>
      each(objectsIn(body["results"]), (card) =>
        unless(
          contains(card, decodeURIComponent(q.replaceAll("+", " "))),
          `it finds ${card["id"]}`,
        ),
      ),
  ),
);

const words: readonly Check[] = [
  check("questions 12", "the words of a title find it in another order", async (kit) => {
    const cards = await listed(kit, `${CATALOG}?limit=100`);
    const card = cards.find(({ title }) => wordsOf(title).join("").length > 5 && wordsOf(title)[1]);
    if (card === undefined) throw new Missing("a title of two words");
    const q = encodeURIComponent(wordsOf(card["title"]).reverse().join(" "));
    const found = await listed(
      kit,
      `${CATALOG}?q=${q}&limit=100&subscribers_min=${card["subscribers"]}`,
    );
    return unless(
      found.some(({ id }) => id === card["id"]),
      `${card["title"]} is not found`,
    );
  }),
  answer("questions 12", `${CATALOG}?q={title}zzqx`, "up to five nearest titles", ({ body }) => {
    const { results, suggestions = [] } = body as { results: unknown[]; suggestions?: unknown[] };
    const isFit = results.length === 0 && suggestions.length <= 5;
    return unless(isFit, "not an empty list with at most five suggestions");
  }),
];

/** Spellings that must find the same; a zero-width character, and й of two. */
const SPELLINGS: readonly (readonly [string, Check["clause"], (text: string) => string])[] = [
  ["in upper case", "decisions 3 catalog", (text) => text.toUpperCase()],
  ["in lower case", "decisions 3 catalog", (text) => text.toLowerCase()],
  ["with ё for е", "decisions 3 catalog", (text) => text.replaceAll("е", "ё")],
  ["with blanks around", "decisions 3 catalog", (text) => `  ${text} `],
  [
    "with a zero-width character",
    "living-data 5",
    (text) => `${text.slice(0, 1)}\u200b${text.slice(1)}`,
  ],
  ["decomposed", "living-data 5", (text) => text.normalize("NFD")],
];
const spellings = SPELLINGS.map(([name, clause, spelled]) =>
  check(clause, `q ${name} finds the same`, async (kit) => {
    const title = decodeURIComponent(await fill(kit, "{title}"));
    const find = async (q: string) =>
      numbersOf((await kit.ask(`${CATALOG}?q=${encodeURIComponent(q)}&limit=100`)).body);
    return differs("what is found", await find(spelled(title)), await find(title));
  }),
);

/** Spellings of a link to a channel, the second line from the page on living data. */
const LINKS = ["@{handle}", "https://{host}/{handle}", "http://{host}/{handle}", "{host}/{handle}"];
const PARTS = ["/", "?start=1", "/123"].map((part) => `https://{host}/{handle}${part}`);
const LATER = ["https://{host}:443/{handle}", "{handle}.{host}", "tg://resolve?domain={handle}"];
const links = [...LINKS, ...PARTS, "https://{host}/s/{handle}", ...LATER, "{host}/boost/{handle}"];
const linkRows = links.map((link) => {
  const isLater = LATER.includes(link) || link.includes("boost");
  const q = encodeURIComponent(link).replaceAll("%7B", "{").replaceAll("%7D", "}");
  return { clause: isLater ? "living-data 1" : "decisions 3 links", q } as const;
});
const UNKNOWN = [
  "999999999999",
  "no_such_handle_here",
  "0",
  "99999999999999999999",
  "%FF",
  "a%00b",
];
const NOBODY = ["@no_such_handle_here", "1", "-1009999999999"];

export const catalogChecks: readonly Check[] = [
  ...filters,
  ...plain,
  ...words,
  ...spellings,
  same("spec 4 card", `${CATALOG}{channel}/`, `${CATALOG}{handle}/`),
  same("decisions 3 card", `${CATALOG}{HANDLE}/`, `${CATALOG}{handle}/`),
  same("spec 4 resolve", `${RESOLVE}?q=@{handle}`, `${CATALOG}{channel}/`),
  same("decisions 3 resolve", `${RESOLVE}?q=@{HANDLE}`, `${CATALOG}{channel}/`),
  same("decisions 3 catalog", `${CATALOG}?`, `${CATALOG}?limit=50`, results),
  same("spec 4 catalog", `${CATALOG}?`, `${CATALOG}?kind=channel&ordering=-subscribers`, results),
  same(
    "decisions 3 catalog",
    `${CATALOG}?ids={channel},999999999999,{channel}`,
    `${CATALOG}?ids={channel}`,
  ),
  same(
    "spec 4 catalog",
    `${CATALOG}?ids={channels}&kind=group&limit=x&q=a&cursor=x&ordering=y`,
    `${CATALOG}?ids={channels}`,
  ),
  ...linkRows.map(({ clause, q }) => same(clause, `${RESOLVE}?q=${q}`, `${CATALOG}{channel}/`)),
  ...linkRows.map(({ clause, q }) =>
    same(clause, `${CATALOG}?q=${q}`, `${CATALOG}?q=@{handle}`, results),
  ),
  answer(
    "spec 4 catalog",
    `${CATALOG}?ids={channels}`,
    "cards in the order asked",
    ({ body, asked }) => differs("ids", numbersOf(body).join(), asked.replace(/^.*ids=/, "")),
  ),
  answer("spec 4 catalog", `${CATALOG}?ids={channels}`, "no pages", ({ body }) =>
    differs("next", body["next"], null),
  ),
  answer(
    "decisions 3 links",
    `${CATALOG}?q={host}/joinchat/abcdefghij`,
    "an invite link is an empty page",
    ({ body }) => differs("results", body["results"], []),
  ),
  taken("spec 8 limits", `${CATALOG}?ids={1..100}`),
  refused("spec 8 limits", `${CATALOG}?ids={1..101}`, 400, "ids"),
  refused("spec 8 limits", `${CATALOG}?q=ab`, 400, "q"),
  refused(
    "decisions 3 links",
    `${RESOLVE}?q=https%3A%2F%2F{host}%2F%2Babcdefghij`,
    404,
    "not_found",
  ),
  ...NOBODY.map((q) => refused("decisions 3 resolve", `${RESOLVE}?q=${q}`, 404, "not_found")),
  ...UNKNOWN.flatMap((name) =>
    ["", "mentions/", "similar/", "posts/"].map((rest) =>
      refused("decisions 1 error bodies", `${CATALOG}${name}/${rest}`, 404, "not_found"),
    ),
  ),
];
