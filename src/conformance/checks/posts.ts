import type { Check, Json, Kit } from "../check.ts";
import {
  check,
  differs,
  each,
  fieldError,
  Missing,
  objectsIn,
  statusOf,
  unless,
} from "../check.ts";
import { fill, look } from "../sight.ts";
import { answer, every, numbersOf, refused, results, same, taken } from "./answers.ts";

const POSTS = "/v1/msgr/channels/{posting}/posts/?limit=100";
const SEARCH = "/v1/msgr/posts/search/?limit=100";
const FOUND = `${SEARCH}&q={word}`;
const LISTS = [POSTS, FOUND].map((path) => {
  return { path, clause: path === POSTS ? ("spec 4 posts" as const) : ("questions 1" as const) };
});

/** A Moscow day of a timestamp, which has Moscow's offset. */
const dayOf = (post: Json): string => String(post["published_at"]).slice(0, 10);

/** Filters of both lists: each answers only what it says, and all of it that the whole list shows. */
const FILTERS: readonly (readonly [query: string, holds: (post: Json, day: string) => boolean])[] =
  [
    ["is_ad=true", (post) => post["is_ad"] === true],
    ["is_ad=false", (post) => post["is_ad"] === false],
    ["from={day}&to={day}", (post, day) => dayOf(post) === day],
    ["from={day}", (post, day) => dayOf(post) >= day],
    ["to={day}", (post, day) => dayOf(post) <= day],
  ];
const filters = LISTS.flatMap(({ path, clause }) =>
  FILTERS.map(([query, holds]) =>
    check(clause, `${path}&${query} answers such posts only, and all of them`, async (kit) => {
      const day = await fill(kit, "{day}");
      const all = objectsIn((await look(kit, path)).body["results"]);
      const filtered = objectsIn((await look(kit, `${path}&${query}`)).body["results"]);
      const expected = all.filter((post) => holds(post, day)).map(({ id }) => id);
      return (
        each(filtered, (post) => unless(holds(post, day), `post ${post["id"]} is no such`)) ??
        differs("its beginning", filtered.map(({ id }) => id).slice(0, expected.length), expected)
      );
    }),
  ),
);

const search = (kit: Kit, q: string) => look(kit, `${SEARCH}&q=${encodeURIComponent(q)}`);
const word = async (kit: Kit): Promise<string> => decodeURIComponent(await fill(kit, "{word}"));
const count = async (kit: Kit, q: string): Promise<number> => {
  const { body } = await search(kit, q);
  if (body["matches_capped"] === true) throw new Missing("too many matches to count");
  return Number(body["matches"]);
};

/** Queries that a full-text engine might take for its own syntax. */
const HOSTILE =
  '"~""~a AND~OR~NOT~NEAR(a b)~(a~a)~^a~a:b~*~a*~{a}~a + b~|~a |~--~=~#~@~\'~\\~a\u0000b'.split(
    "~",
  );
const hostile = HOSTILE.map((q) =>
  check("questions 1", `q=${JSON.stringify(q)} is searched, or a 400 on q`, async (kit) => {
    const answer = await search(kit, q);
    return answer.status === 400 ? fieldError(answer, "q") : statusOf(answer, 200);
  }),
);

/** What the numbers of matches of a word and of queries made of it must obey. */
const COUNTS: readonly (readonly [
  title: string,
  other: (word: string) => string[],
  law: (all: number, others: number[]) => boolean,
])[] = [
  [
    "with another and without it add up",
    (q) => [`${q} и`, `${q} -и`],
    (all, [a = 0, b = 0]) => a + b === all,
  ],
  [
    "or another are at least its own",
    (q) => [`${q} | реклама`],
    (all, [either = 0]) => either >= all,
  ],
  [
    "by its beginning are at least its exact form's",
    (q) => [`${q}*`, `=${q}`],
    (_, [a = 0, b = 0]) => a >= b,
  ],
  ["twice are its own", (q) => [`${q} ${q}`], (all, [twice]) => twice === all],
];
const counts = COUNTS.map(([title, others, law]) =>
  check("questions 7", `matches of a word ${title}`, async (kit) => {
    const q = await word(kit);
    const all = await count(kit, q);
    const numbers = await Promise.all(others(q).map((other) => count(kit, other)));
    return unless(
      law(all, numbers),
      `${q}: ${all}; ${others(q).join("; ")}: ${numbers.join("; ")}`,
    );
  }),
);

const BAD_NUMBERS = ["0", "999999999999", "x", "1.5", "-1", "%FF"];

export const postChecks: readonly Check[] = [
  ...filters,
  ...hostile,
  ...counts,
  same(
    "decisions 3 posts",
    "/v1/msgr/channels/{channel}/posts/",
    "/v1/msgr/channels/{handle}/posts/",
    results,
  ),
  same(
    "spec 8 limits",
    "/v1/msgr/channels/{posting}/posts/?",
    "/v1/msgr/channels/{posting}/posts/?limit=50",
    results,
  ),
  same("questions 1", `${FOUND}&channel={channel}`, `${FOUND}&channel={handle}`, results),
  same("questions 1", `${FOUND}`, `${FOUND}&ordering=-published_at`, numbersOf),
  answer("questions 1", `${FOUND}&ordering=-relevance`, "one page", ({ body }) =>
    differs("next", body["next"], null),
  ),
  answer("questions 1", FOUND, "matches is the number of results of a single page", ({ body }) =>
    body["next"] === null ? differs("matches", body["matches"], numbersOf(body).length) : null,
  ),
  answer(
    "questions 1",
    `${FOUND}&channel=999999999999`,
    "an unknown channel is refused",
    ({ status }) => unless(status === 400 || status === 404, `the status is ${status}`),
  ),
  answer(
    "questions 7",
    `${FOUND}&is_ad=x&views_min=x`,
    "an error names all arguments that are wrong",
    (answer) => fieldError(answer, "is_ad") ?? fieldError(answer, "views_min"),
  ),
  check("spec 4 post", "one post is what the list shows", async (kit) => {
    const [post] = objectsIn(
      (await look(kit, "/v1/msgr/channels/{posting}/posts/")).body["results"],
    );
    return differs("the post", (await look(kit, "/v1/msgr/posts/{post}/")).body, post);
  }),
  check("questions 7", "the exact form finds only posts that contain it", async (kit) => {
    const plain = (text: unknown) => String(text).toLowerCase().replaceAll("ё", "е");
    const form = plain(await word(kit));
    const found = objectsIn((await search(kit, `=${form}`)).body["results"]);
    return each(found, ({ id, text }) => unless(plain(text).includes(form), `post ${id} lacks it`));
  }),
  every(
    "questions 1",
    FOUND,
    "a snippet of at most 200 code points, with highlights in it",
    ({ snippet, highlights }) => {
      const { length } = [...String(snippet)];
      return (
        unless(length <= 200, `a snippet of ${length} code points`) ??
        each(highlights as [number, number][], ([from, to]) =>
          unless(from < to && to <= length, `a highlight from ${from} to ${to}`),
        )
      );
    },
  ),
  every("spec 2 post", POSTS, "it names the channel that the list is of", ({ channel }, items) =>
    differs("channel", channel, items[0]?.["channel"]),
  ),
  every("decisions 1 times", POSTS, "it was not published after now", (post, _, kit) =>
    unless(Date.parse(String(post["published_at"])) < kit.now() + 600_000, String(post["id"])),
  ),
  every(
    "questions 3",
    "/v1/msgr/channels/{channel}/mentions/",
    "a mention says how, and who mentions",
    ({ kinds, mentioned_by: by }) =>
      unless(Array.isArray(kinds) && typeof (by as Json)?.["title"] === "string", "it does not"),
  ),
  ...LISTS.map(({ path, clause }) => taken(clause, `${path}&from={-1}&to={-1}`)),
  ...LISTS.map(({ path, clause }) => refused(clause, `${path}&from={-1}&to={-2}`, 400, "to")),
  refused("questions 1", `${SEARCH}&q=-реклама`, 400, "q"),
  refused("questions 1", `${SEARCH}&q=а`, 400, "q"),
  refused("questions 1", `${SEARCH}&q=${"а".repeat(201)}`, 400, "q"),
  ...BAD_NUMBERS.map((id) =>
    refused("decisions 3 posts", `/v1/msgr/posts/${id}/`, 404, "not_found"),
  ),
];
