import { expect, test } from "bun:test";
import fc from "fast-check";
import { MEDIA, type PostRecord, toPostView } from "../../../src/catalog/posts/post.ts";
import {
  createPostRecords,
  selectPost,
  selectPostsJson,
  selectPostTexts,
} from "../../../src/catalog/posts/posts.store.ts";
import { migrate } from "../../../src/db/migrate.ts";
import { IN_MEMORY, openDatabase } from "../../../src/db/open-database.ts";
import { systemClock } from "../../../src/ports/clock.ts";

const PUBLIC = 1;
const HIDDEN = 2;
const GONE = 3;

const maybe = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some);
const odd = fc.constantFrom(
  '"',
  "\\",
  "/",
  "\n",
  "\r",
  "\t",
  "\b",
  "\f",
  "\u0001",
  "\u001f",
  "\u007f",
  "'",
);
const text = fc
  .array(fc.oneof(odd, fc.string({ unit: "grapheme" }), fc.constant("\u2028ё🙌<b>")))
  .map((parts) => parts.join("").replaceAll("\0", ""));
const count = fc.oneof(fc.nat(1000), fc.constantFrom(0, 2 ** 31, Number.MAX_SAFE_INTEGER));
const instant = fc.oneof(
  fc.integer({ min: Date.parse("1960-01-01"), max: Date.parse("2030-01-01") }),
  fc.constantFrom(-1, 0, 999, Date.parse("0000-01-02"), Date.parse("9999-12-30T20:59:59.999Z")),
);
const media = fc.uniqueArray(fc.constantFrom(...MEDIA)).map((kinds) => kinds.join(" "));
const links = fc
  .array(fc.record({ offset: fc.nat(100), length: fc.nat(100), target: text }), { maxLength: 3 })
  .map((list) => JSON.stringify(list));
const record: fc.Arbitrary<PostRecord> = fc.record({
  id: fc.constant(0),
  channel: fc.constant(PUBLIC),
  msgr_post_id: maybe(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)),
  ...{ text, views: count, is_ad: fc.constantFrom(0, 1), published_at: instant },
  ...{
    link: maybe(text),
    edited_at: maybe(instant),
    views_at: maybe(instant),
    media: maybe(media),
  },
  ...{ forwards: maybe(count), reactions: maybe(count), comments: maybe(count) },
  ...{ forwarded_from: maybe(fc.constantFrom(PUBLIC, HIDDEN, GONE)) },
  ...{ forwarded_from_name: maybe(text), album: maybe(text), links: maybe(links) },
  ...{ views_1h: maybe(count), views_12h: maybe(count) },
  ...{ views_24h: maybe(count), views_48h: maybe(count) },
});

const distinct = fc.uniqueArray(record, {
  ...{ minLength: 500, maxLength: 500 },
  selector: (post) => post.msgr_post_id ?? Symbol("none"),
});

test("the JSON of posts from SQLite equals that of their views byte for byte, in the requested order", async () => {
  const db = openDatabase(IN_MEMORY, systemClock);
  await migrate(db, systemClock);
  db.exec(`INSERT INTO channels (id, kind, is_public, subscribers)
    VALUES (${PUBLIC}, 'channel', 1, 0), (${HIDDEN}, 'channel', 0, 0)`);
  const records = createPostRecords(db);
  const readAt = Date.parse("2026-11-01");
  const [drawn = []] = fc.sample(distinct, { numRuns: 1, seed: 11 });
  for (const [at, post] of drawn.entries()) records.insert({ ...post, id: at + 1 }, readAt);

  const ids = drawn.map((_, at) => drawn.length - at);
  const shown = ids.map((id) => {
    const post = records.byId(id) as PostRecord;
    const from = post.forwarded_from === PUBLIC ? PUBLIC : null;
    return JSON.stringify(toPostView({ ...post, forwarded_from: from }));
  });
  expect(`${selectPostsJson(db, ids)}`).toBe(`[${shown.join(",")}]`);
  expect([...selectPostTexts(db, ids)]).toEqual(ids.map((id, at) => [id, shown[at]]) as never);
  expect(`${selectPost(db, drawn.length)}`).toBe(shown[0] as string);
  expect(`${selectPostsJson(db, [drawn.length + 1])}`).toBe("[]");
  db.close();
});
