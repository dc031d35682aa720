import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Fields } from "../../../src/catalog/imports/reading/recognized.ts";
import { startAppliance } from "../../support/appliance.ts";
import { asTimeAllows } from "../../support/as-time-allows.ts";
import { expectOk, idsOf, imported } from "../../support/expectations.ts";

/** Checks the search against the simplest model: a scan over all channels. */
interface Known {
  title: string;
  handle: string | null;
  kind: "channel" | "chat";
  isPublic: boolean;
}

/** Channels by number, and for each handle the channel that has it, or had it last. */
interface World {
  channels: Map<number, Known>;
  holders: Map<string, number>;
}

/** Folds as the search does. The only invisible character in titles is the one that joins symbols. */
function fold(text: string): string {
  return text.replaceAll("\u200d", "").toLowerCase().replaceAll("ё", "е").trim();
}

const wordsOf = (folded: string): string[] =>
  folded.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== "");

/** Whether each word of the query begins a word of the title or handle; each must have three letters. */
function hasWords(q: string, { title, handle }: Known): boolean {
  const words = fold(q).split(/\s+/);
  if (words.length < 2 || words.some((word) => [...word].length < 3)) return false;
  const text = `${fold(title)}\n${fold(handle ?? "")}`;
  const isBegun = (at: number) => !/[\p{L}\p{N}\p{M}]$/u.test(text.slice(0, at));
  return words.every((word) =>
    [...text].keys().some((_, index) => {
      const at = [...text].slice(0, index).join("").length;
      return text.startsWith(word, at) && isBegun(at);
    }),
  );
}

function scan({ channels, holders }: World, q: string, kind: string): number[] {
  const trimmed = q.trim();
  return [...channels]
    .filter(([, channel]) => channel.isPublic && channel.kind === kind)
    .filter(([id, known]) =>
      trimmed.startsWith("@")
        ? id === holders.get(trimmed.slice(1).toLowerCase())
        : fold(known.title).includes(fold(trimmed)) ||
          fold(known.handle ?? "").includes(fold(trimmed)) ||
          hasWords(trimmed, known),
    )
    .map(([id]) => id)
    .sort((a, b) => a - b);
}

const CHANNELS = 8;
const HANDLES = ["News", "news_daily", "ezh", "AND_or", "a.b-c", "zhizn24"];

/** Few pieces, so that queries often match titles, with all kinds of characters. */
const piece = fc.constantFrom(
  "ёлка",
  "Елка",
  "ЁЖ",
  "еж",
  "Ёё",
  "новости",
  "НОВОСТИ",
  "Жизнь",
  "News",
  "nEWS",
  "daily",
  "AND",
  "OR",
  "NOT",
  "NEAR",
  "NEAR(",
  "*",
  "^",
  "-",
  "(",
  ")",
  ":",
  "{",
  "}",
  "+",
  "%",
  "_",
  "%%%",
  "___",
  '"',
  '""',
  "'",
  "`",
  "\\",
  ";",
  ",",
  ".",
  "😀",
  "👨‍👩‍👧",
  "🇷🇺",
  "é",
  "日本語",
  "\ue000",
  "\uffff",
  " ",
  " ",
  "a",
  "б",
  "7",
);
const text = fc.array(piece, { minLength: 1, maxLength: 6 }).map((pieces) => pieces.join(""));
const title = text.map((line) => `x${line}`.trim());
const id = fc.integer({ min: 1, max: CHANNELS });
const handle = fc.constantFrom(...HANDLES);

type Edit =
  | { edit: "put"; id: number; title: string; handle: string | null; kind: Known["kind"] }
  | { edit: "retitle"; id: number; title: string }
  | { edit: "handle"; id: number; handle: string | null }
  | { edit: "grow"; id: number; subscribers: number }
  | { edit: "public"; id: number; isPublic: boolean }
  | { edit: "kind"; id: number; kind: Known["kind"] };

const kind = fc.constantFrom<Known["kind"]>("channel", "channel", "chat");
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ edit: fc.constant("put" as const), id, title, handle: fc.option(handle), kind }),
  fc.record({ edit: fc.constant("retitle" as const), id, title }),
  fc.record({ edit: fc.constant("handle" as const), id, handle: fc.option(handle) }),
  fc.record({
    edit: fc.constant("grow" as const),
    id,
    subscribers: fc.constantFrom(0, 9, 10, 99, 100, 1_000_000),
  }),
  fc.record({ edit: fc.constant("public" as const), id, isPublic: fc.boolean() }),
  fc.record({ edit: fc.constant("kind" as const), id, kind }),
);

/** A random query, the words of a title in another order, or one cut out as somebody would type it. */
type Query =
  | { made: string }
  | { wordsOf: number; letters: number }
  | { of: number; from: number; length: number; change: number };
const query: fc.Arbitrary<Query> = fc.oneof(
  fc.record({ made: text }),
  fc.record({ made: piece.map((one) => one.padEnd(3, one)) }),
  fc.record({ made: handle.map((given) => `@${given.toUpperCase()}`) }),
  { weight: 2, arbitrary: fc.record({ wordsOf: id, letters: fc.integer({ min: 2, max: 9 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      of: id,
      from: fc.nat(12),
      length: fc.integer({ min: 3, max: 9 }),
      change: fc.nat(3),
    }),
  },
);

function apply({ channels, holders }: World, change: Edit): Fields | null {
  const known = channels.get(change.id);
  const take = (wanted: string | null): void => {
    if (wanted !== null) holders.set(wanted.toLowerCase(), change.id);
    for (const other of channels.values()) {
      if (other.handle?.toLowerCase() === wanted?.toLowerCase()) other.handle = null;
    }
  };
  switch (change.edit) {
    case "put":
      take(change.handle);
      channels.set(change.id, {
        title: change.title,
        handle: change.handle,
        kind: change.kind,
        isPublic: true,
      });
      return {
        id: change.id,
        title: change.title,
        handle: change.handle,
        kind: change.kind,
        subscribers: change.id,
        is_public: true,
      };
    case "retitle":
      if (known === undefined) return null;
      known.title = change.title;
      return { id: change.id, title: change.title };
    case "handle":
      if (known === undefined) return null;
      take(change.handle);
      known.handle = change.handle;
      return { id: change.id, handle: change.handle };
    case "grow":
      return known === undefined ? null : { id: change.id, subscribers: change.subscribers };
    case "public":
      if (known === undefined) return null;
      known.isPublic = change.isPublic;
      return { id: change.id, is_public: change.isPublic };
    case "kind":
      if (known === undefined) return null;
      known.kind = change.kind;
      return { id: change.id, kind: change.kind };
  }
}

function rowsOf(world: World, edits: readonly Edit[]): Fields[] {
  return edits.map((one) => apply(world, one)).filter((row) => row !== null);
}

function textOf(example: Query, channels: Map<number, Known>): string {
  if ("made" in example) return example.made;
  if ("wordsOf" in example) {
    const { title = "", handle = "" } = channels.get(example.wordsOf) ?? {};
    const words = wordsOf(fold(`${title} ${handle ?? ""}`)).reverse();
    return words.map((word) => [...word].slice(0, example.letters).join("")).join(" ");
  }
  const known = channels.get(example.of);
  const whole = [...(example.change % 2 === 0 ? (known?.title ?? "") : (known?.handle ?? ""))];
  const from = example.from % Math.max(1, whole.length - 2);
  const cut = whole.slice(from, from + example.length).join("");
  return example.change < 2 ? cut.toUpperCase() : cut.toLowerCase().replaceAll("е", "ё");
}

test("the search finds what a plain scan of titles and handles finds, after any edits", async () => {
  let found = 0;
  await asTimeAllows(
    fc.asyncProperty(
      fc.array(fc.record({ title, handle: fc.option(handle), kind }), { maxLength: CHANNELS }),
      fc.array(fc.tuple(fc.array(edit, { maxLength: 6 }), fc.array(query, { maxLength: 10 })), {
        minLength: 1,
        maxLength: 4,
      }),
      async (first, rounds) => {
        const appliance = await startAppliance();
        try {
          const world: World = { channels: new Map(), holders: new Map() };
          const inserts = first.map((row, at) => ({ edit: "put" as const, id: at + 1, ...row }));
          await imported(appliance, "channels", rowsOf(world, inserts));
          for (const [edits, queries] of rounds) {
            const rows = rowsOf(world, edits);
            await imported(appliance, "channels", rows);
            for (const example of queries) {
              const given = textOf(example, world.channels);
              // Invisible characters do not count.
              if ([given.trim(), fold(given)].some((text) => [...text].length < 3)) continue;
              for (const of of ["channel", "chat"]) {
                const path = `/v1/msgr/channels/?kind=${of}&q=${encodeURIComponent(given)}`;
                const ids = idsOf(await expectOk(appliance, path)).sort((a, b) => a - b);
                expect(ids, JSON.stringify(given)).toEqual(scan(world, given, of));
                found += ids.length;
              }
            }
          }
        } finally {
          await appliance.close();
        }
      },
    ),
    20,
  );
  // The property would also hold for a search that finds nothing, in titles that never match. The number of
  // channels that 20 random rounds find varies; the least that was seen is 39.
  expect(found).toBeGreaterThan(10);
});
