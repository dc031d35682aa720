import {
  type Check,
  check,
  differs,
  each,
  fieldError,
  type Json,
  type Kit,
  Missing,
  objectsIn,
  refusal,
  statusOf,
  unless,
} from "../check.ts";
import { catalog, channelWith, fill, listed } from "../sight.ts";

const CATALOG = "/v1/msgr/channels/";
const COUNTS = "/v1/msgr/channels/stats/";

/** A filter, and whether a card may be in its answer. */
interface Filter {
  query: string;
  holds(card: Json, kit: Kit): Promise<boolean> | boolean;
  /** Filters that leave the other channels, so that the numbers add up. */
  rest?: string;
}

const isIn = (codes: readonly unknown[], code: unknown): boolean => codes.includes(code);

/** Codes of the territory and those below it. */
async function codesBelow(kit: Kit, code: string): Promise<readonly unknown[]> {
  const nodes = await listed(kit, "/v1/msgr/territories/", "territories");
  return nodes.filter(({ path }) => String(path).split("/").includes(code)).map(({ slug }) => slug);
}

/** As search compares: case and ё do not matter. */
const folded = (text: unknown): string =>
  String(text ?? "")
    .toLowerCase()
    .replaceAll("ё", "е");

const FILTERS: readonly Filter[] = [
  {
    query: "category={category}",
    async holds({ category, categories }, kit) {
      const code = await fill(kit, "{category}");
      return isIn([category, ...(categories as unknown[])], code);
    },
  },
  {
    query: "territory={territory}",
    holds: async ({ territory }, kit) =>
      isIn(await codesBelow(kit, await fill(kit, "{territory}")), territory),
  },
  { query: "kind=channel", holds: ({ kind }) => kind === "channel" },
  { query: "kind=chat", holds: ({ kind }) => kind === "chat" },
  {
    ...{ query: "subscribers_min=100000", rest: "subscribers_max=99999" },
    holds: ({ subscribers }) => Number(subscribers) >= 100_000,
  },
  {
    ...{ query: "subscribers_max=99999", rest: "subscribers_min=100000" },
    holds: ({ subscribers }) => Number(subscribers) <= 99_999,
  },
  { query: "a_plus=true", rest: "a_plus=false", holds: (card) => card["a_plus"] === true },
  { query: "a_plus=false", rest: "a_plus=true", holds: (card) => card["a_plus"] === false },
  { query: "verified=true", rest: "verified=false", holds: ({ verified }) => verified === true },
  { query: "verified=false", rest: "verified=true", holds: ({ verified }) => verified === false },
  {
    query: "q={title}",
    async holds({ title, handle }, kit) {
      const wanted = folded(decodeURIComponent(await fill(kit, "{title}")));
      return folded(title).includes(wanted) || folded(handle).includes(wanted);
    },
  },
  { query: "q=@{handle}", holds: isHandled },
  {
    query: "growth_30d_min=1&include=metrics",
    holds: ({ metrics }) => Number((metrics as Json)["growth_30d"]) >= 1,
  },
];

async function isHandled({ handle, former_handles: former }: Json, kit: Kit): Promise<boolean> {
  const wanted = folded(await fill(kit, "{handle}"));
  return [handle, ...((former as unknown[]) ?? [])].map(folded).includes(wanted);
}

const filters = FILTERS.flatMap(({ query, holds, rest }): Check[] => {
  const clause = query.startsWith("growth") ? "questions 2" : "spec 4 catalog";
  const page = async (kit: Kit) => {
    const path = `${CATALOG}?${await fill(kit, query)}&limit=100`;
    return {
      items: await listed(kit, path, "channels that it finds"),
      body: (await kit.ask(path)).body,
    };
  };
  const count = async (kit: Kit, more: string) =>
    Number((await kit.ask(`${COUNTS}?${await fill(kit, more)}`)).body["channels"]);
  const checks: Check[] = [
    {
      ...{ clause, title: `${query} finds only what it says` },
      async run(kit) {
        for (const card of (await page(kit)).items) {
          if (!(await holds(card, kit))) return `it finds ${card["id"]}: ${JSON.stringify(card)}`;
        }
        return null;
      },
    },
    {
      ...{ clause, title: `${query} is combined with others by AND` },
      async run(kit) {
        const [half] = (await page(kit)).items.slice(
          Math.floor((await page(kit)).items.length / 2),
        );
        const min = Number(half?.["subscribers"]) + 1;
        const path = `${CATALOG}?${await fill(kit, query)}&subscribers_min=${min}&limit=100`;
        const found = objectsIn((await kit.ask(path)).body["results"]);
        const expected = (await page(kit)).items.filter(
          ({ subscribers }) => Number(subscribers) >= min,
        );
        if ((await page(kit)).body["next"] !== null || query.includes("subscribers_min")) {
          return each(found, (card) => unless(Number(card["subscribers"]) >= min, `${card["id"]}`));
        }
        return differs("what is found", numbers(found), numbers(expected));
      },
    },
    check(
      "questions 2",
      `${query} finds as many as the statistics of channels count`,
      async (kit) => {
        const { items, body } = await page(kit);
        if (body["next"] !== null) throw new Missing("more than a page of channels");
        return differs(
          "the number",
          items.length,
          await count(kit, query.replace("&include=metrics", "")),
        );
      },
    ),
  ];
  if (rest === undefined) return checks;
  return [
    ...checks,
    check("questions 2", `${query} and ${rest} together are all channels`, async (kit) => {
      const sum = (await count(kit, query)) + (await count(kit, rest));
      return differs("their sum", sum, await count(kit, "kind=channel"));
    }),
  ];
});

const numbers = (items: readonly Json[]): unknown[] => items.map(({ id }) => id);

/** `ids` in the order of the catalog, turned round. */
async function reversed(kit: Kit): Promise<unknown[]> {
  return numbers(await catalog(kit))
    .slice(0, 100)
    .reverse();
}

const byIds: readonly Check[] = [
  check("spec 4 catalog", "ids answers cards in the order asked", async (kit) => {
    const ids = await reversed(kit);
    const found = objectsIn((await kit.ask(`${CATALOG}?ids=${ids}`)).body["results"]);
    return differs("the order", numbers(found), ids);
  }),
  check("spec 4 catalog", "ids ignores all other filters and pagination", async (kit) => {
    const ids = await reversed(kit);
    const more = "kind=group&limit=x&q=a&category=no-such-code&ordering=none&cursor=x";
    const answer = await kit.ask(`${CATALOG}?ids=${ids}&${more}`);
    return (
      statusOf(answer, 200) ??
      differs("the order", numbers(objectsIn(answer.body["results"])), ids) ??
      differs("next", answer.body["next"], null)
    );
  }),
  check(
    "decisions 3 catalog",
    "ids leaves out unknown numbers, and answers repeated ones once",
    async (kit) => {
      const [id] = await reversed(kit);
      const answer = await kit.ask(`${CATALOG}?ids=${id},999999999999,${id}`);
      return differs("what is found", numbers(objectsIn(answer.body["results"])), [id]);
    },
  ),
  check("spec 8 limits", "ids takes 100 numbers", async (kit) =>
    statusOf(
      await kit.ask(`${CATALOG}?ids=${Array.from({ length: 100 }, (_, at) => at + 1)}`),
      200,
    ),
  ),
  check("spec 8 limits", "ids takes no 101 numbers", async (kit) =>
    fieldError(
      await kit.ask(`${CATALOG}?ids=${Array.from({ length: 101 }, (_, at) => at + 1)}`),
      "ids",
    ),
  ),
  check("spec 8 limits", "q of two characters is a 400", async (kit) =>
    fieldError(await kit.ask(`${CATALOG}?q=ab`), "q"),
  ),
];

/** Plain characters for a search, although a database or a pattern may know them. */
const PLAIN = [
  "%25%25%25",
  "___",
  "''';",
  '"""',
  "a*b*c",
  "NEAR(a,b)",
  "a AND b",
  "-abc",
  "(((",
  "col:x",
];
const plain = PLAIN.map((q) =>
  check("decisions 3 catalog", `q=${q} is taken as plain characters`, async (kit) => {
    const answer = await kit.ask(`${CATALOG}?q=${q.replaceAll(" ", "+")}&limit=20`);
    const wanted = folded(decodeURIComponent(q));
    return (
      statusOf(answer, 200) ??
      each(objectsIn(answer.body["results"]), ({ title, handle }) =>
        unless(
          folded(title).includes(wanted) || folded(handle).includes(wanted),
          `it finds ${String(title)}`,
        ),
      )
    );
  }),
);

/** Spellings of a search that must find the same. */
const SPELLINGS: readonly (readonly [string, (text: string) => string, Check["clause"]])[] = [
  ["in upper case", (text) => text.toUpperCase(), "decisions 3 catalog"],
  ["in lower case", (text) => text.toLowerCase(), "decisions 3 catalog"],
  ["with ё for е", (text) => text.replaceAll("е", "ё"), "decisions 3 catalog"],
  ["with blanks around", (text) => `  ${text} `, "decisions 3 catalog"],
  [
    "with a zero-width character",
    (text) => `${text.slice(0, 1)}\u200b${text.slice(1)}`,
    "living-data 5",
  ],
  ["decomposed", (text) => text.normalize("NFD"), "living-data 5"],
];
const spellings = SPELLINGS.map(
  ([name, spelled, clause]): Check => ({
    ...{ clause, title: `q ${name} finds the same` },
    async run(kit) {
      const title = decodeURIComponent(await fill(kit, "{title}"));
      const ask = (q: string) => kit.ask(`${CATALOG}?q=${encodeURIComponent(q)}&limit=100`);
      return differs(
        "what is found",
        numbers(objectsIn((await ask(spelled(title))).body["results"])),
        numbers(objectsIn((await ask(title)).body["results"])),
      );
    },
  }),
);

/** The card by each of its names. */
const NAMES: readonly (readonly [string, (card: Json) => string])[] = [
  ["its number", ({ id }) => String(id)],
  ["its handle", ({ handle }) => String(handle)],
  ["its handle in upper case", ({ handle }) => String(handle).toUpperCase()],
];
const handled = (kit: Kit): Promise<Json> =>
  channelWith(kit, "with a handle", ({ handle }) => typeof handle === "string");

const cards = NAMES.map(([name, nameOf]) =>
  check(
    name.includes("upper") ? "decisions 3 card" : "spec 4 card",
    `a card by ${name}`,
    async (kit) => {
      const card = await handled(kit);
      const answer = await kit.ask(`${CATALOG}${nameOf(card)}/`);
      return differs("the card", answer.body, card);
    },
  ),
);

const UNKNOWN = [
  "999999999999",
  "no_such_handle_here",
  "0",
  "99999999999999999999",
  "%FF",
  "a%00b",
];
const unknown = UNKNOWN.flatMap((name) =>
  ["", "mentions/", "similar/", "posts/"].map((rest) =>
    check("decisions 1 error bodies", `${CATALOG}${name}/${rest} is not_found`, async (kit) => {
      const answer = await kit.ask(`${CATALOG}${name}/${rest}`);
      if (answer.status === 403) throw new Missing("the key's plan lacks the method");
      return refusal(answer, 404, "not_found");
    }),
  ),
);

/** Spellings of a link to a channel; H is its handle, M the messenger's host. */
const LINKS = [
  "@H",
  "https://M/H",
  "http://M/H",
  "M/H",
  "https://M/H/",
  "https://M/H?start=1",
  "https://M/H/123",
  "https://M/s/H",
  "https://M:443/H",
  "H.M",
  "tg://resolve?domain=H",
  "M/boost/H",
];
/** Those that the page on living data adds. */
const LATER = /^H\.|^tg:|boost|:443/;

async function link(kit: Kit, spelling: string): Promise<string> {
  const card = await channelWith(kit, "with a handle and a link", (one) => {
    return typeof one["handle"] === "string" && typeof one["link"] === "string";
  });
  const { host } = new URL(String(card["link"]));
  return spelling.replace("M", host).replace("H", String(card["handle"]));
}

const links = LINKS.flatMap((spelling): Check[] => {
  const clause = LATER.test(spelling) ? "living-data 1" : "decisions 3 links";
  return [
    {
      ...{ clause, title: `resolve finds ${spelling}` },
      async run(kit) {
        const q = encodeURIComponent(await link(kit, spelling));
        const expected = await kit.ask(
          `${CATALOG}resolve/?q=${encodeURIComponent(await link(kit, "@H"))}`,
        );
        const answer = await kit.ask(`${CATALOG}resolve/?q=${q}`);
        return statusOf(answer, 200) ?? differs("the card", answer.body, expected.body);
      },
    },
    {
      ...{ clause, title: `the catalog finds ${spelling} exactly` },
      async run(kit) {
        const answer = await kit.ask(
          `${CATALOG}?q=${encodeURIComponent(await link(kit, spelling))}`,
        );
        const [card] = objectsIn(
          (await kit.ask(`${CATALOG}?q=${encodeURIComponent(await link(kit, "@H"))}`)).body[
            "results"
          ],
        );
        return differs("what is found", numbers(objectsIn(answer.body["results"])), [card?.["id"]]);
      },
    },
  ];
});

const resolving: readonly Check[] = [
  check("spec 4 resolve", "resolve answers the card", async (kit) => {
    const card = await handled(kit);
    return differs(
      "the card",
      (await kit.ask(`${CATALOG}resolve/?q=@${card["handle"]}`)).body,
      card,
    );
  }),
  ...["@no_such_handle_here", "1", "-1009999999999"].map((q) =>
    check("decisions 3 resolve", `resolve finds no ${q}`, async (kit) =>
      refusal(await kit.ask(`${CATALOG}resolve/?q=${encodeURIComponent(q)}`), 404, "not_found"),
    ),
  ),
  check("decisions 3 links", "an invite link is a 404", async (kit) =>
    refusal(
      await kit.ask(
        `${CATALOG}resolve/?q=${encodeURIComponent(await link(kit, "https://M/+abcdefghij"))}`,
      ),
      404,
      "not_found",
    ),
  ),
  check("decisions 3 links", "an invite link is an empty page of the catalog", async (kit) => {
    const q = encodeURIComponent(await link(kit, "https://M/joinchat/abcdefghij"));
    return differs("results", (await kit.ask(`${CATALOG}?q=${q}`)).body["results"], []);
  }),
];

export const catalogChecks: readonly Check[] = [
  ...filters,
  ...byIds,
  ...plain,
  ...spellings,
  ...cards,
  ...unknown,
  ...links,
  ...resolving,
];
