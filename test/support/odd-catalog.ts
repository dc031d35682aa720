import fc from "fast-check";
import type { ImportKindName } from "../../src/catalog/imports/kinds/import-kinds.ts";
import type { Fields } from "../../src/catalog/imports/reading/recognized.ts";

/** Texts that a CSV reader, a spreadsheet or an import could misinterpret. */
const ODD = [
  ...["=1+1", "+79", "-5", "@all", "'=1", "''=1", "'", "''", "'@", "\t=1", "\r=1", "−", "＝"],
  ...['"', '""', ",", ";", "\n", "\r\n", "\r", "\r\r\n", "\t", "|", "\\", "\\N", "/*", "%"],
  ...["null", "None", "NaN", "true", "1e5", "1.2K", "1 292 258", " 12 ", "01.02.2025", "="],
  ...["🙌", "👨‍👩‍👧", "é", "е\u0301", "ё", "й", "\u00a0", "\u200d", "\ufeff", "<b>", "﷽"],
];

const oddText = fc
  .array(fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: "binary", maxLength: 8 })), {
    maxLength: 4,
  })
  .map((parts) => parts.join(""));
const title = oddText.map((text) => (text.replace(/\p{Cc}+/gu, " ").trim() === "" ? "Т" : text));

const maybe = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some);
const count = fc.oneof(fc.nat(1000), fc.constantFrom(0, 2 ** 31, 1_000_000_000_000));
const quality = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0.5, 42.1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308),
);
const instant = fc
  .integer({ min: Date.parse("2026-09-01"), max: Date.parse("2026-11-19") })
  .map((ms) => new Date(ms - (ms % 3 === 0 ? ms % 1000 : 0)).toISOString());
const CATEGORIES = ["auto", "news", "science", "painting"];
const TERRITORIES = ["kazan", "moskva", "tatarstan", "village"];
const category = fc.constantFrom(...CATEGORIES.slice(1));

const channel = fc.record({
  title,
  handle: maybe(fc.stringMatching(/^[a-z_][A-Za-z0-9_.-]{0,12}$/)),
  // Not in Telegram's -100… form, whose bare form another channel may have.
  msgr_id: maybe(fc.bigInt({ min: -(10n ** 12n), max: 2n ** 63n - 1n }).map(String)),
  description: maybe(oddText),
  link: maybe(fc.constantFrom("https://t.me/a,b", 'https://t.me/"q"', "http://t.me/+x=1")),
  image: maybe(fc.constantFrom("https://example.com/a.webp")),
  kind: fc.constantFrom("channel", "chat"),
  subscribers: count,
  category: maybe(category),
  categories: fc.array(category, { maxLength: 3 }),
  territory: maybe(fc.constantFrom(...TERRITORIES)),
  a_plus: fc.boolean(),
  verified: fc.boolean(),
  quality: maybe(quality),
  citation: maybe(quality),
  last_post_at: maybe(instant),
  is_public: fc.integer({ min: 0, max: 4 }).map((number) => number > 0),
});

const post = fc.record({
  channel: fc.integer({ min: 1, max: 40 }),
  text: oddText,
  views: count,
  is_ad: fc.boolean(),
  published_at: instant,
  link: maybe(fc.constantFrom("https://t.me/a/1", "https://t.me/a/1?b=,'")),
});

const day = fc.record({
  channel: fc.integer({ min: 1, max: 40 }),
  day: fc.integer({ min: 1, max: 30 }).map((of) => `2026-10-${String(of).padStart(2, "0")}`),
  subscribers: count,
  views: count,
  posts: count,
});

export type OddCatalog = Record<ImportKindName, Fields[]>;

/** 40 odd channels, some hidden, with their posts, days and directories. */
export const oddCatalog: fc.Arbitrary<OddCatalog> = fc
  .record({
    channels: fc.uniqueArray(channel, {
      ...{ minLength: 40, maxLength: 40 },
      selector: ({ handle, msgr_id }) => `${handle?.toLowerCase() ?? ""} ${msgr_id ?? ""}`,
      comparator: (one, other) => {
        const [handle, id] = one.split(" ");
        const [otherHandle, otherId] = other.split(" ");
        return (handle !== "" && handle === otherHandle) || (id !== "" && id === otherId);
      },
    }),
    posts: fc.array(post, { minLength: 300, maxLength: 300 }),
    stats: fc.uniqueArray(day, {
      ...{ minLength: 150, maxLength: 150 },
      selector: (row) => `${row.channel} ${row.day}`,
    }),
    names: fc.array(title, { minLength: 2, maxLength: 2 }),
  })
  .map(({ channels, posts, stats, names }) => ({
    categories: [
      { slug: "painting", name: names[0], image: "https://example.com/p.webp" },
      { slug: "news", name: "Новости", image: "news.webp" },
    ],
    territories: [{ slug: "village", name: names[1], kind: "city", parent: "tatarstan" }],
    channels: channels.map((row, at) => ({ id: at + 1, ...row })),
    posts: posts.map((row, at) => ({
      ...{ id: 3 * at + 1, ...row, msgr_post_id: at % 5 === 0 ? null : at },
    })),
    stats,
  }));

/** Paths of requests about such a catalog, to every method of the catalog. */
export function oddRequests({ channels }: OddCatalog): fc.Arbitrary<string> {
  const number = fc.integer({ min: 1, max: 42 });
  const handles = channels.flatMap(({ handle }) => (handle === null ? [] : [String(handle)]));
  const numbers = channels.flatMap(({ msgr_id }) => (msgr_id === null ? [] : [String(msgr_id)]));
  const handle = fc.constantFrom("nobody", ...handles);
  const query = fc
    .record(
      {
        q: fc.oneof(
          fc.constantFrom("null", "1+1", "=", "'", "🙌", "ё", "all"),
          handle.map((name) => `@${name}`),
        ),
        kind: fc.constantFrom("channel", "chat"),
        category: fc.constantFrom(...CATEGORIES),
        territory: fc.constantFrom(...TERRITORIES),
        a_plus: fc.constantFrom("true", "false"),
        verified: fc.constantFrom("true", "false"),
        subscribers_min: fc.constantFrom("0", "500"),
        subscribers_max: fc.constantFrom("700", "2147483648"),
        ordering: fc.constantFrom("-subscribers", "-quality", "-citation", "-last_post_at"),
        limit: fc.constantFrom("1", "5", "100"),
      },
      { requiredKeys: [] },
    )
    .map((given) => new URLSearchParams(given as Record<string, string>));
  const postsQuery = fc
    .record(
      {
        from: fc.constantFrom("2026-09-10", "2026-10-01"),
        to: fc.constantFrom("2026-10-20", "2026-11-19"),
        is_ad: fc.constantFrom("true", "false"),
        limit: fc.constantFrom("1", "3", "100"),
      },
      { requiredKeys: [] },
    )
    .map((given) => new URLSearchParams(given as Record<string, string>));
  const resolved = fc.oneof(
    handle.map((name) => `@${name}`),
    handle.map((name) => `https://t.me/${name}`),
    fc.constantFrom("1", ...numbers),
  );
  const days = fc.uniqueArray(number, { minLength: 1, maxLength: 10 });
  return fc.oneof(
    query.map((given) => `channels/?${given}`),
    days.map((ids) => `channels/?ids=${ids}`),
    fc.oneof(number.map(String), handle).map((name) => `channels/${name}/`),
    resolved.map((q) => `channels/resolve/?q=${encodeURIComponent(q)}`),
    days.map((ids) => `stats/daily/?channels=${ids}&from=2026-10-01&to=2026-10-31`),
    fc.tuple(number, postsQuery).map(([id, given]) => `channels/${id}/posts/?${given}`),
    fc.integer({ min: 1, max: 910 }).map((id) => `posts/${id}/`),
    fc.constantFrom("categories/", "territories/"),
  );
}
