/**
 * The same read API with Fastify and better-sqlite3, as a good engineer would write it in an afternoon:
 * `bun fastify-server.ts DATABASE PORT`. It checks no key and counts nothing.
 */
import BetterSqlite3 from "better-sqlite3";
import fastify from "fastify";

const [path = "", port = "0"] = process.argv.slice(2);
const db = new BetterSqlite3(path, { readonly: true });
// The whole file can be mapped, because nobody writes to it.
db.pragma(`mmap_size = ${2 ** 34}`);
const app = fastify();

type Row = Record<string, unknown>;
type Values = (string | number)[];
const COLUMNS = `id, handle, title, description, link, image, kind, subscribers, category, categories,
  territory, a_plus, verified, quality, citation, last_post_at, former_handles`;
const POST_COLUMNS = `id, channel_id AS channel, msgr_post_id, text, views, is_ad, published_at, link, edited_at,
  views_at, media, forwards, reactions, comments, forwarded_from, forwarded_from_name, album, links,
  views_1h, views_12h, views_24h, views_48h`;
const ORDERINGS: Record<string, string> = {
  "-subscribers": "subscribers",
  "-quality": "quality",
  "-citation": "citation",
  "-last_post_at": "last_post_at",
};

const prepared = new Map<string, BetterSqlite3.Statement<unknown[], Row>>();
function prepare(sql: string): BetterSqlite3.Statement<unknown[], Row> {
  let statement = prepared.get(sql);
  if (statement === undefined) {
    statement = db.prepare(sql);
    prepared.set(sql, statement);
  }
  return statement;
}

const card = (row: Row): Row => ({
  ...row,
  categories: JSON.parse(String(row["categories"])),
  former_handles: JSON.parse(String(row["former_handles"])),
  a_plus: row["a_plus"] === 1,
  verified: row["verified"] === 1,
});
const post = (row: Row): Row => ({
  ...row,
  is_ad: row["is_ad"] === 1,
  media: JSON.parse(String(row["media"])),
  links: JSON.parse(String(row["links"])),
});
const notFound = { code: "not_found", detail: "There is no such thing." };

app.get<{ Querystring: Record<string, string> }>("/channels", ({ query }) => {
  if (query["ids"] !== undefined) {
    const byId = prepare(`SELECT ${COLUMNS} FROM channels WHERE id = ?`);
    const rows = query["ids"].split(",").map((id) => byId.get(Number(id)));
    return { results: rows.flatMap((row) => (row === undefined ? [] : card(row))) };
  }
  const column = ORDERINGS[query["ordering"] ?? "-subscribers"] ?? "subscribers";
  const conditions = ["kind = ?"];
  const values: Values = [query["kind"] ?? "channel"];
  const where = (condition: string, ...given: Values): void => {
    conditions.push(condition);
    values.push(...given);
  };
  if (query["q"] !== undefined) {
    const folded = query["q"].normalize("NFKC").toLowerCase().replaceAll("ё", "е");
    where("search LIKE ? ESCAPE '\\'", `%${folded.replace(/[\\%_]/g, "\\$&")}%`);
  }
  if (query["category"] !== undefined) {
    where("id IN (SELECT channel_id FROM channel_categories WHERE slug = ?)", query["category"]);
  }
  if (query["territory"] !== undefined) {
    where(
      `territory IN (SELECT slug FROM territories WHERE '/' || path || '/' LIKE ?)`,
      `%/${query["territory"]}/%`,
    );
  }
  if (query["subscribers_min"] !== undefined) {
    where("subscribers >= ?", Number(query["subscribers_min"]));
  }
  if (query["subscribers_max"] !== undefined) {
    where("subscribers <= ?", Number(query["subscribers_max"]));
  }
  const page = Number(query["page"] ?? 1);
  const rows = prepare(
    `SELECT ${COLUMNS} FROM channels WHERE ${conditions.join(" AND ")}
     ORDER BY ${column} DESC, id LIMIT 50 OFFSET ?`,
  ).all(...values, (page - 1) * 50);
  return { results: rows.map(card), next: rows.length === 50 ? page + 1 : null };
});

app.get<{ Params: { channel: string } }>("/channels/:channel", ({ params }, reply) => {
  const column = /^\d+$/.test(params.channel) ? "id" : "handle";
  const row = prepare(`SELECT ${COLUMNS} FROM channels WHERE ${column} = ?`).get(params.channel);
  return row === undefined ? reply.code(404).send(notFound) : card(row);
});

app.get<{ Querystring: Record<string, string> }>("/statistics", ({ query }) => {
  const days = prepare(
    `SELECT channel_id AS channel, day, subscribers, views, posts FROM statistics
     WHERE channel_id = ? AND day BETWEEN ? AND ? ORDER BY day`,
  );
  const channels = (query["channels"] ?? "").split(",").map(Number);
  return { results: channels.flatMap((id) => days.all(id, query["from"], query["to"])) };
});

app.get<{ Params: { channel: string }; Querystring: Record<string, string> }>(
  "/channels/:channel/posts",
  ({ params, query }) => {
    const conditions = ["channel_id = ?"];
    const values: Values = [Number(params.channel)];
    if (query["from"] !== undefined) {
      conditions.push("published_at >= ?");
      values.push(query["from"]);
    }
    if (query["to"] !== undefined) {
      conditions.push("published_at < date(?, '+1 day')");
      values.push(query["to"]);
    }
    if (query["is_ad"] !== undefined) {
      conditions.push("is_ad = ?");
      values.push(query["is_ad"] === "true" ? 1 : 0);
    }
    const rows = prepare(
      `SELECT ${POST_COLUMNS} FROM posts
       WHERE ${conditions.join(" AND ")} ORDER BY published_at DESC, id DESC LIMIT 50`,
    ).all(...values);
    return { results: rows.map(post) };
  },
);

/** Finds any part of a text, newest first, without an index of words. */
app.get<{ Querystring: Record<string, string> }>("/posts", ({ query }) => {
  const rows = prepare(
    `SELECT ${POST_COLUMNS} FROM posts
     WHERE text LIKE ? ORDER BY published_at DESC, id DESC LIMIT 50`,
  ).all(`%${query["q"]}%`);
  return { results: rows.map(post) };
});

app.get<{ Params: { id: string } }>("/posts/:id", ({ params }, reply) => {
  const row = prepare(
    `SELECT ${POST_COLUMNS} FROM posts
     WHERE id = ?`,
  ).get(Number(params.id));
  return row === undefined ? reply.code(404).send(notFound) : post(row);
});

app.get("/ready", () => ({ status: "ok" }));
await app.listen({ host: "127.0.0.1", port: Number(port) });
