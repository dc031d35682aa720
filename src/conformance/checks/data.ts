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
import { fill, listed, planOf, posts, requirePlan } from "../sight.ts";

const DAY_MS = 86_400_000;
const MOSCOW_MS = 3 * 3_600_000;
/** A Moscow day so many days ago. */
const dayAgo = (kit: Kit, days: number): string =>
  new Date(kit.now() + MOSCOW_MS - days * DAY_MS).toISOString().slice(0, 10);

const days = (
  path: string,
  clause: Check["clause"],
  from: "test" | "start",
  hasLimit: boolean,
): Check[] => {
  const at = async (kit: Kit, first: string, last: string) => {
    await requirePlan(kit, from);
    return kit.ask(`${await fill(kit, path)}from=${first}&to=${last}`);
  };
  const checks: Check[] = [
    {
      ...{ clause, title: `${path}: a period that ends before it starts is a 400 on to` },
      run: async (kit) => fieldError(await at(kit, dayAgo(kit, 1), dayAgo(kit, 2)), "to"),
    },
    {
      ...{ clause, title: `${path}: a period of one day is taken` },
      run: async (kit) => statusOf(await at(kit, dayAgo(kit, 1), dayAgo(kit, 1)), 200),
    },
  ];
  if (!hasLimit) return checks;
  const whole = async (kit: Kit) => {
    if ((await planOf(kit)) === "test") throw new Missing("history begins with the plan start");
  };
  return [
    ...checks,
    check("spec 8 limits", `${path}: 366 days are taken`, async (kit) => {
      await whole(kit);
      return statusOf(await at(kit, dayAgo(kit, 365), dayAgo(kit, 0)), 200);
    }),
    check("spec 8 limits", `${path}: 367 days are a 400 on to`, async (kit) => {
      await whole(kit);
      return fieldError(await at(kit, dayAgo(kit, 366), dayAgo(kit, 0)), "to");
    }),
  ];
};

const STATISTICS = "/v1/msgr/stats/daily/";
const rows = async (kit: Kit, query: string): Promise<readonly Json[]> =>
  listed(kit, `${STATISTICS}?${await fill(kit, query)}`, "rows of statistics");

const statistics: readonly Check[] = [
  check(
    "decisions 3 statistics",
    "rows come in the order of channels, then by day",
    async (kit) => {
      const ids = objectsIn((await kit.ask("/v1/msgr/channels/?limit=3")).body["results"]).map(
        ({ id }) => Number(id),
      );
      const turned = [...ids].reverse();
      const found = await rows(kit, `channels=${turned}`);
      const keys = found.map(({ channel, day }) => `${turned.indexOf(Number(channel))} ${day}`);
      return differs("the order", keys, [...keys].sort());
    },
  ),
  check("spec 4 statistics", "the default period is the last 30 days", async (kit) => {
    const all = await rows(kit, "channels={channel}");
    const asked = await rows(
      kit,
      `channels={channel}&from=${dayAgo(kit, 29)}&to=${dayAgo(kit, 0)}`,
    );
    return differs("the rows", all, asked);
  }),
  check("spec 4 statistics", "both ends of a period are included", async (kit) => {
    const [first] = await rows(kit, "channels={channel}");
    const day = String(first?.["day"]);
    return differs("the rows", await rows(kit, `channels={channel}&from=${day}&to=${day}`), [
      first,
    ]);
  }),
  check("decisions 3 statistics", "a day has one row at most", async (kit) => {
    const found = (await rows(kit, "channels={channel}")).map(({ day }) => day);
    return differs("the number of days", new Set(found).size, found.length);
  }),
  check("decisions 3 statistics", "unknown channels are left out", async (kit) => {
    const one = await rows(kit, "channels={channel}");
    return differs("the rows", await rows(kit, "channels=999999999999,{channel}"), one);
  }),
  check(
    "spec 8 limits",
    "more than 10,000 channels times days are a 400 on channels",
    async (kit) => {
      await requirePlan(kit, "start");
      const ids = Array.from({ length: 100 }, (_, at) => at + 1);
      return fieldError(
        await kit.ask(
          `${STATISTICS}?channels=${ids}&from=${dayAgo(kit, 100)}&to=${dayAgo(kit, 0)}`,
        ),
        "channels",
      );
    },
  ),
  check("spec 8 limits", "10,000 channels times days are taken", async (kit) => {
    await requirePlan(kit, "start");
    const ids = Array.from({ length: 100 }, (_, at) => at + 1);
    return statusOf(
      await kit.ask(`${STATISTICS}?channels=${ids}&from=${dayAgo(kit, 99)}&to=${dayAgo(kit, 0)}`),
      200,
    );
  }),
  check(
    "decisions 3 statistics",
    "on Test, a from before the last 30 days is tariff_required",
    async (kit) => {
      if ((await planOf(kit)) !== "test") throw new Missing("the key's plan is not test");
      const answer = await kit.ask(`${STATISTICS}?channels=1&from=${dayAgo(kit, 40)}`);
      return refusal(answer, 403, "tariff_required");
    },
  ),
];

const DIRECTORY = "/v1/msgr/territories/";
const nodes = (kit: Kit, query = ""): Promise<readonly Json[]> =>
  listed(kit, DIRECTORY + query, "territories");
const LEVELS = ["country", "district", "region", "city"];

const territories: readonly Check[] = [
  check("spec 2 territory", "parents come before their children", async (kit) => {
    const seen = new Set<unknown>([null]);
    return each(await nodes(kit), ({ slug, parent }) => {
      seen.add(slug);
      return unless(seen.has(parent), `${slug} comes before ${parent}`);
    });
  }),
  check("spec 2 territory", "a path is the parent's path and the node's code", async (kit) => {
    const paths = new Map<unknown, string>();
    return each(await nodes(kit), ({ slug, parent, path }) => {
      paths.set(slug, String(path));
      const above = paths.get(parent);
      return differs(`path of ${slug}`, path, above === undefined ? slug : `${above}/${slug}`);
    });
  }),
  check("spec 2 territory", "a country has no parent, others have", async (kit) =>
    each(await nodes(kit), ({ slug, kind, parent }) =>
      unless((kind === "country") === (parent === null), `${slug}: ${kind} below ${parent}`),
    ),
  ),
  check("spec 2 territory", "a child's level is below its parent's", async (kit) => {
    const all = await nodes(kit);
    const levels = new Map(all.map(({ slug, kind }) => [slug, LEVELS.indexOf(String(kind))]));
    return each(all, ({ slug, parent }) =>
      unless(
        parent === null || (levels.get(slug) ?? 0) > (levels.get(parent) ?? 0),
        `${slug} is not below ${parent}`,
      ),
    );
  }),
  check("spec 2 territory", "a node counts at least what its children count", async (kit) => {
    const all = await nodes(kit);
    return each(all, ({ slug, channels }) => {
      const below = all.filter(({ parent }) => parent === slug);
      const sum = below.reduce((total, node) => total + Number(node["channels"]), 0);
      return unless(Number(channels) >= sum, `${slug} counts ${channels}, its children ${sum}`);
    });
  }),
  ...LEVELS.map((level) =>
    check(
      "spec 4 territories",
      `kind=${level} answers that level, whole and in order`,
      async (kit) => {
        const wanted = (await nodes(kit)).filter(({ kind }) => kind === level);
        const found = objectsIn((await kit.ask(`${DIRECTORY}?kind=${level}`)).body["results"]);
        return differs("the nodes", found, wanted);
      },
    ),
  ),
  check("spec 4 territories", "parent answers direct children, whole and in order", async (kit) => {
    const all = await nodes(kit);
    const parent = all.find(({ parent }) => parent !== null)?.["parent"];
    if (parent === undefined) throw new Missing("no territory with a parent");
    const found = await nodes(kit, `?parent=${parent}`);
    return differs(
      "the nodes",
      found,
      all.filter((node) => node["parent"] === parent),
    );
  }),
  check("decisions 3 territories", "kind and parent combine with AND", async (kit) => {
    const [first] = await nodes(kit);
    const answer = await kit.ask(`${DIRECTORY}?parent=${first?.["slug"]}&kind=country`);
    return differs("results", answer.body["results"], []);
  }),
];

/** A Moscow day of a timestamp that has Moscow's offset. */
const dayOf = (item: Json): string => String(item["published_at"]).slice(0, 10);
const POSTS = "/v1/msgr/channels/{posting}/posts/";
const SEARCH = "/v1/msgr/posts/search/";
const LISTS = [`${POSTS}?limit=100`, `${SEARCH}?q={word}&limit=100`];

const postFilters = LISTS.flatMap((path): Check[] => {
  const clause = path.startsWith(SEARCH) ? "questions 1" : "spec 4 posts";
  const found = async (kit: Kit, query = "") => {
    await requirePlan(kit, "start");
    return objectsIn((await kit.ask((await fill(kit, path)) + query)).body["results"]);
  };
  const some = async (kit: Kit) => {
    const all = await found(kit);
    if (all.length === 0) throw new Missing("no posts to look at");
    return all;
  };
  return [
    ...[true, false].map(
      (isAd): Check => ({
        ...{ clause, title: `${path}: is_ad=${isAd} answers only such posts, and all of them` },
        async run(kit) {
          const all = await some(kit);
          const filtered = await found(kit, `&is_ad=${isAd}`);
          const wrong = each(filtered, (post) =>
            differs(`is_ad of ${post["id"]}`, post["is_ad"], isAd),
          );
          const expected = all.filter((post) => post["is_ad"] === isAd).map(({ id }) => id);
          return (
            wrong ??
            differs(
              "its beginning",
              filtered.slice(0, expected.length).map(({ id }) => id),
              expected,
            )
          );
        },
      }),
    ),
    {
      ...{ clause, title: `${path}: from and to are Moscow days, both inclusive` },
      async run(kit) {
        const all = await some(kit);
        const day = dayOf(all[Math.floor(all.length / 2)] ?? {});
        const filtered = await found(kit, `&from=${day}&to=${day}`);
        const expected = all.filter((post) => dayOf(post) === day).map(({ id }) => id);
        return (
          each(filtered, (post) => differs(`day of ${post["id"]}`, dayOf(post), day)) ??
          differs(
            "its beginning",
            filtered.slice(0, expected.length).map(({ id }) => id),
            expected,
          )
        );
      },
    },
  ];
});

const onePost: readonly Check[] = [
  check("spec 4 post", "one post is what the list shows", async (kit) => {
    const [post] = await posts(kit);
    return differs("the post", (await kit.ask(`/v1/msgr/posts/${post?.["id"]}/`)).body, post);
  }),
  ...["0", "999999999999", "x", "1.5", "-1", "%FF"].map((id) =>
    check("decisions 3 posts", `/v1/msgr/posts/${id}/ is not_found`, async (kit) => {
      await requirePlan(kit, "start");
      return refusal(await kit.ask(`/v1/msgr/posts/${id}/`), 404, "not_found");
    }),
  ),
  check(
    "decisions 3 posts",
    "posts by the channel's handle are those by its number",
    async (kit) => {
      await requirePlan(kit, "start");
      const [number, handle] = [await fill(kit, "{channel}"), await fill(kit, "{handle}")];
      const ask = async (name: string) =>
        (await kit.ask(`/v1/msgr/channels/${name}/posts/?limit=3`)).body["results"];
      return differs("the posts", await ask(handle), await ask(number));
    },
  ),
  check("spec 2 post", "a post names the channel whose list it is in", async (kit) => {
    const channel = Number(await fill(kit, "{posting}"));
    return each(await posts(kit), (post) =>
      differs(`channel of ${post["id"]}`, post["channel"], channel),
    );
  }),
  check("decisions 1 times", "no post was published after now", async (kit) =>
    each(await posts(kit), (post) =>
      unless(
        Date.parse(String(post["published_at"])) < kit.now() + 600_000,
        `${post["published_at"]}`,
      ),
    ),
  ),
];

const search = async (kit: Kit, q: string, more = "") => {
  await requirePlan(kit, "start");
  return kit.ask(`${SEARCH}?q=${encodeURIComponent(q)}&limit=50${more}`);
};
const word = async (kit: Kit): Promise<string> => decodeURIComponent(await fill(kit, "{word}"));
const count = async (kit: Kit, q: string): Promise<number> =>
  Number((await search(kit, q)).body["matches"]);

/** Queries that a full-text engine might take for its own syntax. */
const HOSTILE = [
  '"',
  '""',
  "a AND",
  "OR",
  "NOT",
  "NEAR(a b)",
  "(a",
  "a)",
  "^a",
  "a:b",
  "*",
  "a*",
  "{a}",
  "a + b",
  "|",
  "a |",
  "--",
  "=",
  "#",
  "@",
  "'",
  "\\",
  "a\u0000b",
];

const searching: readonly Check[] = [
  ...HOSTILE.map((q) =>
    check("questions 1", `q=${JSON.stringify(q)} is searched or a 400 on q`, async (kit) => {
      const answer = await search(kit, q);
      return answer.status === 400 ? fieldError(answer, "q") : statusOf(answer, 200);
    }),
  ),
  check("questions 1", "only exclusions are a 400 on q", async (kit) =>
    fieldError(await search(kit, "-реклама"), "q"),
  ),
  check("questions 1", "q of one character is a 400 on q", async (kit) =>
    fieldError(await search(kit, "а"), "q"),
  ),
  check("questions 1", "q of 201 characters is a 400 on q", async (kit) =>
    fieldError(await search(kit, "абв ".repeat(50) + "г".repeat(3)), "q"),
  ),
  check("questions 7", "matches of a word, with another and without it, add up", async (kit) => {
    const first = await word(kit);
    const all = await count(kit, first);
    const sum = (await count(kit, `${first} и`)) + (await count(kit, `${first} -и`));
    return all >= 10_000 ? null : differs("their sum", sum, all);
  }),
  check("questions 7", "a beginning finds at least what the word finds", async (kit) => {
    const first = await word(kit);
    const [all, beginning] = [await count(kit, `=${first}`), await count(kit, `${first}*`)];
    return unless(beginning >= all, `${beginning} with the beginning, ${all} with the word`);
  }),
  check("questions 7", "the exact form finds only posts that contain it", async (kit) => {
    const form = (await word(kit)).toLowerCase().replaceAll("ё", "е");
    const found = objectsIn((await search(kit, `=${form}`)).body["results"]);
    return each(found, ({ id, text }) =>
      unless(
        String(text).toLowerCase().replaceAll("ё", "е").includes(form),
        `post ${id} lacks ${form}`,
      ),
    );
  }),
  check("questions 1", "a | b finds at least what a finds", async (kit) => {
    const first = await word(kit);
    const [one, both] = [await count(kit, first), await count(kit, `${first} | реклама`)];
    return unless(both >= one, `${both} with both, ${one} with one`);
  }),
  check("questions 1", "matches is the number of results that fit on one page", async (kit) => {
    const { body } = await search(kit, await word(kit));
    if (body["next"] !== null) throw new Missing("more than a page of matches");
    return differs("matches", body["matches"], objectsIn(body["results"]).length);
  }),
  check(
    "questions 1",
    "a snippet has at most 200 code points, and highlights lie in it",
    async (kit) =>
      each(
        objectsIn((await search(kit, await word(kit))).body["results"]),
        ({ snippet, highlights }) => {
          const { length } = [...String(snippet)];
          const pairs = highlights as [number, number][];
          return (
            unless(length <= 200, `a snippet of ${length} code points`) ??
            each(pairs, ([from, to]) =>
              unless(from < to && to <= length, `highlight ${from} to ${to}`),
            )
          );
        },
      ),
  ),
  check("questions 1", "-relevance is one page", async (kit) =>
    differs(
      "next",
      (await search(kit, await word(kit), "&ordering=-relevance")).body["next"],
      null,
    ),
  ),
  check("questions 1", "channel takes a number or a handle", async (kit) => {
    const q = await word(kit);
    const ask = async (name: string) => (await search(kit, q, `&channel=${name}`)).body["matches"];
    return differs(
      "matches",
      await ask(await fill(kit, "{handle}")),
      await ask(await fill(kit, "{channel}")),
    );
  }),
  check("questions 1", "an unknown channel is told from one without matches", async (kit) => {
    const { status } = await search(kit, await word(kit), "&channel=999999999999");
    return unless(status === 400 || status === 404, `the status is ${status}`);
  }),
];

const compared: readonly Check[] = [
  check("questions 2", "compare answers in the order asked", async (kit) => {
    const ids = objectsIn((await kit.ask("/v1/msgr/channels/?limit=3")).body["results"])
      .map(({ id }) => id)
      .reverse();
    if (ids.length === 0) throw new Missing("no channels in the catalog");
    const answer = await kit.ask(`/v1/msgr/channels/compare/?channels=${ids}`);
    return differs(
      "the order",
      objectsIn(answer.body["results"]).map(({ channel }) => channel),
      ids,
    );
  }),
  check("questions 2", "compare takes at most 20 channels", async (kit) =>
    fieldError(
      await kit.ask(
        `/v1/msgr/channels/compare/?channels=${Array.from({ length: 21 }, (_, at) => at + 1)}`,
      ),
      "channels",
    ),
  ),
  check(
    "questions 2",
    "subscribers have nine deciles, and categories come by number of channels",
    async (kit) => {
      const { body } = await kit.ask("/v1/msgr/channels/stats/");
      const deciles = (body["subscribers"] as Json | undefined)?.["deciles"] as
        | number[]
        | undefined;
      const sizes = objectsIn(body["categories"]).map(({ channels }) => Number(channels));
      return (
        differs("the number of deciles", deciles?.length, 9) ??
        differs(
          "the order",
          sizes,
          [...sizes].sort((one, other) => other - one),
        )
      );
    },
  ),
  check("questions 2", "growth is the difference of the last and the first reading", async (kit) =>
    each(
      await listed(
        kit,
        `/v1/msgr/channels/compare/?channels=${await fill(kit, "{channel}")}`,
        "channels",
      ),
      ({ growth, subscribers_last: last, subscribers_first: first }) =>
        last === null || first === null
          ? null
          : differs("growth", growth, Number(last) - Number(first)),
    ),
  ),
  check("questions 2", "metrics stand in an answer only with include=metrics", async (kit) => {
    const card = await kit.ask(await fill(kit, "/v1/msgr/channels/{channel}/"));
    return unless(!Object.hasOwn(card.body, "metrics"), "they stand in the card");
  }),
  check("questions 12", "an ordering by growth says what it leaves out", async (kit) => {
    const { body } = await kit.ask("/v1/msgr/channels/?ordering=-growth_30d&limit=100");
    const all = await kit.ask("/v1/msgr/channels/stats/");
    if (body["next"] !== null) throw new Missing("more than a page of channels");
    const left = Number(all.body["channels"]) - objectsIn(body["results"]).length;
    return unless(left === 0 || typeof body["note"] === "string", `no note of ${left} channels`);
  }),
  check("living-data amendments", "former handles are at most 20", async (kit) =>
    each(await listed(kit, "/v1/msgr/channels/?limit=100", "channels"), (card) =>
      unless((card["former_handles"] as unknown[]).length <= 20, `${card["id"]} has more`),
    ),
  ),
];

export const dataChecks: readonly Check[] = [
  ...days(`${STATISTICS}?channels={channel}&`, "decisions 3 statistics", "test", true),
  ...days(`${POSTS}?`, "decisions 3 posts", "start", false),
  ...days(`${SEARCH}?q={word}&`, "questions 1", "start", false),
  ...days("/v1/msgr/channels/compare/?channels={channel}&", "questions 2", "test", false),
  ...statistics,
  ...territories,
  ...postFilters,
  ...onePost,
  ...searching,
  ...compared,
];
