/**
 * Tables of the Fastify contender, designed for these queries: one row per channel, a table of its categories, an
 * index for each ordering, and folded texts for search.
 */
export const FASTIFY_SCHEMA = `
  CREATE TABLE channels (
    id INTEGER PRIMARY KEY, handle TEXT COLLATE NOCASE, title TEXT NOT NULL, description TEXT,
    link TEXT, image TEXT, kind TEXT NOT NULL, subscribers INTEGER NOT NULL, category TEXT,
    categories TEXT NOT NULL, territory TEXT, a_plus INTEGER NOT NULL, verified INTEGER NOT NULL,
    quality REAL, citation REAL, last_post_at TEXT, former_handles TEXT NOT NULL,
    search TEXT NOT NULL);
  CREATE TABLE channel_categories (
    slug TEXT NOT NULL, channel_id INTEGER NOT NULL, PRIMARY KEY (slug, channel_id)) WITHOUT ROWID;
  CREATE TABLE territories (slug TEXT PRIMARY KEY, path TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE statistics (
    channel_id INTEGER NOT NULL, day TEXT NOT NULL, subscribers INTEGER NOT NULL,
    views INTEGER NOT NULL, posts INTEGER NOT NULL, PRIMARY KEY (channel_id, day)) WITHOUT ROWID;
  CREATE TABLE posts (
    id INTEGER PRIMARY KEY, channel_id INTEGER NOT NULL, msgr_post_id TEXT, text TEXT NOT NULL,
    views INTEGER NOT NULL, is_ad INTEGER NOT NULL, published_at TEXT NOT NULL, link TEXT,
    edited_at TEXT, views_at TEXT, media TEXT, forwards INTEGER, reactions INTEGER, comments INTEGER,
    forwarded_from INTEGER, forwarded_from_name TEXT, album TEXT, links TEXT, views_1h INTEGER,
    views_12h INTEGER, views_24h INTEGER, views_48h INTEGER);`;

export const FASTIFY_INDEXES = `
  CREATE UNIQUE INDEX channels_handle ON channels (handle);
  CREATE INDEX channels_subscribers ON channels (kind, subscribers DESC, id);
  CREATE INDEX channels_quality ON channels (kind, quality DESC, id);
  CREATE INDEX channels_citation ON channels (kind, citation DESC, id);
  CREATE INDEX channels_last_post ON channels (kind, last_post_at DESC, id);
  CREATE INDEX channels_territory ON channels (territory);
  CREATE INDEX posts_time ON posts (channel_id, published_at DESC, id DESC);
  ANALYZE;`;

const MOSCOW = (column: string): string =>
  `strftime('%Y-%m-%dT%H:%M:%S', ${column} / 1000, 'unixepoch', '+3 hours') || '+03:00'`;

const LIST = (column: string): string =>
  `CASE ${column} WHEN '' THEN '[]' ELSE '["' || replace(${column}, ' ', '","') || '"]' END`;

/** Copies from Kanalog's database, attached as `kanalog`, without channels that are not public. */
export const FASTIFY_FILL = `
  INSERT INTO channels
    SELECT id, handle, title, description, link, image, kind, subscribers, category,
      ${LIST("categories")}, territory, a_plus, verified, quality, citation,
      ${MOSCOW("last_post_at")}, ${LIST("former_handles")},
      search_text
    FROM kanalog.channels JOIN kanalog.channel_cards USING (id) JOIN kanalog.channel_texts USING (id)
    WHERE is_public = 1;
  INSERT OR IGNORE INTO channel_categories SELECT category, id FROM channels WHERE category NOT NULL;
  INSERT OR IGNORE INTO channel_categories
    SELECT value, channels.id FROM channels, json_each(channels.categories);
  INSERT INTO territories SELECT slug, path FROM kanalog.territories;
  INSERT INTO statistics
    SELECT channel_id, date(day * 86400, 'unixepoch'), s.subscribers, views, posts
    FROM kanalog.daily_statistics s JOIN kanalog.channels c ON c.id = s.channel_id
    WHERE is_public = 1;
  INSERT INTO posts
    SELECT p.id, channel_id, CAST(msgr_post_id AS TEXT), text, views, is_ad,
      ${MOSCOW("published_at")}, link, ${MOSCOW("edited_at")}, ${MOSCOW("views_at")},
      ${LIST("media")}, forwards, reactions, comments, forwarded_from, forwarded_from_name, album,
      links, views_1h, views_12h, views_24h, views_48h
    FROM kanalog.posts p JOIN kanalog.channels c ON c.id = p.channel_id WHERE is_public = 1;`;
