/**
 * PocketBase's collections for the same rows, with indexes for the same queries. Texts for search are folded
 * beforehand, because its search only ignores the case of Latin letters. Additional categories and the territory's
 * path are texts, because filtering by a part of a text is its fastest way for them.
 */
const COLLECTIONS = [
  {
    name: "channels",
    fields: {
      handle: "text",
      title: "text",
      description: "text",
      link: "text",
      image: "text",
      kind: "text",
      subscribers: "number",
      category: "text",
      categories: "text",
      territory: "text",
      territory_path: "text",
      a_plus: "bool",
      verified: "bool",
      quality: "number",
      citation: "number",
      last_post_at: "date",
      search: "text",
    },
    indexes: [
      "CREATE INDEX channels_handle ON channels (handle)",
      "CREATE INDEX channels_subscribers ON channels (kind, subscribers DESC, id)",
      "CREATE INDEX channels_quality ON channels (kind, quality DESC, id)",
      "CREATE INDEX channels_citation ON channels (kind, citation DESC, id)",
      "CREATE INDEX channels_last_post ON channels (kind, last_post_at DESC, id)",
    ],
  },
  {
    name: "statistics",
    fields: {
      channel: "text",
      day: "text",
      subscribers: "number",
      views: "number",
      posts: "number",
    },
    indexes: ["CREATE UNIQUE INDEX statistics_day ON statistics (channel, day)"],
  },
  {
    name: "posts",
    fields: {
      channel: "text",
      text: "text",
      views: "number",
      is_ad: "bool",
      published_at: "date",
      link: "text",
    },
    indexes: ["CREATE INDEX posts_time ON posts (channel, published_at DESC, id DESC)"],
  },
];

/** A migration that PocketBase runs at its first start; everybody may read. */
export function pocketbaseMigration(): string {
  const collections = COLLECTIONS.map(({ name, fields, indexes }) => ({
    name,
    type: "base",
    listRule: "",
    viewRule: "",
    indexes,
    schema: Object.entries(fields).map(([field, type]) => ({
      name: field,
      type,
      options: type === "text" ? { max: null } : {},
    })),
  }));
  return `migrate((db) => {
    const dao = new Dao(db);
    for (const one of ${JSON.stringify(collections)}) dao.saveCollection(new Collection(one));
  });`;
}

/** A record's id, which must be a text of fifteen characters. */
export function recordId(id: number): string {
  return String(id).padStart(15, "0");
}

const ID = (column: string): string => `printf('%015d', ${column})`;
const TIME = "'2026-11-01 00:00:00.000Z'";
const UTC = (column: string): string =>
  `coalesce(strftime('%Y-%m-%d %H:%M:%f', ${column} / 1000.0, 'unixepoch') || 'Z', '')`;

/** Copies from Kanalog's database, attached as `kanalog`, without channels that are not public. */
export const POCKETBASE_FILL = `
  INSERT INTO channels (id, created, updated, handle, title, description, link, image, kind,
      subscribers, category, categories, territory, territory_path, a_plus, verified, quality,
      citation, last_post_at, search)
    SELECT ${ID("c.id")}, ${TIME}, ${TIME}, coalesce(handle, ''), title, coalesce(description, ''),
      coalesce(link, ''), coalesce(k.image, ''), c.kind, c.subscribers, coalesce(category, ''),
      ' ' || coalesce(category, '') || ' ' || categories || ' ', coalesce(territory, ''),
      coalesce('/' || t.path || '/', ''), a_plus, verified, coalesce(quality, 0),
      coalesce(citation, 0), ${UTC("last_post_at")},
      search_text
    FROM kanalog.channels c JOIN kanalog.channel_cards k USING (id)
      JOIN kanalog.channel_texts USING (id)
      LEFT JOIN kanalog.territories t ON t.slug = k.territory
    WHERE is_public = 1;
  INSERT INTO statistics (id, created, updated, channel, day, subscribers, views, posts)
    SELECT printf('%09d%06d', channel_id, day), ${TIME}, ${TIME}, ${ID("channel_id")},
      date(day * 86400, 'unixepoch'), s.subscribers, views, posts
    FROM kanalog.daily_statistics s JOIN kanalog.channels c ON c.id = s.channel_id
    WHERE is_public = 1;
  INSERT INTO posts (id, created, updated, channel, text, views, is_ad, published_at, link)
    SELECT ${ID("p.id")}, ${TIME}, ${TIME}, ${ID("channel_id")}, text, views, is_ad,
      ${UTC("published_at")}, coalesce(link, '')
    FROM kanalog.posts p JOIN kanalog.channels c ON c.id = p.channel_id WHERE is_public = 1;`;
