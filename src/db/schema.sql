-- The schema of a new database, as one version (migrate.ts). Until 1.0.0 is released, a change is made here and
-- gets the next FIRST_VERSION; from then on it is a migration.

---- The file itself

CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('cursor_secret', randomblob(32));

---- Directories

CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  image TEXT,
  position INTEGER NOT NULL,
  channels INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE category_images (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT;

CREATE TABLE territories (
  id INTEGER PRIMARY KEY,
  slug TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('country', 'district', 'region', 'city')),
  parent TEXT REFERENCES territories (slug),
  path TEXT NOT NULL UNIQUE,
  position INTEGER NOT NULL,
  channels INTEGER NOT NULL DEFAULT 0,
  -- 1: its path changed, and its channels' search texts still have the old ancestors.
  is_moved INTEGER NOT NULL DEFAULT 0 CHECK (is_moved IN (0, 1))
) STRICT;
CREATE INDEX territories_parent ON territories (parent);

---- Channels

-- Values by which the catalog is filtered and ordered. Kept narrow: every process reads all of it into memory
-- (search/columns), so that no ordering needs an index. What changes daily, numbers of subscribers and times
-- of posts, stands here only: refreshing a channel writes its row and one of channel_changes.
CREATE TABLE channels (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('channel', 'chat')),
  is_public INTEGER NOT NULL CHECK (is_public IN (0, 1)),
  subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
  -- When that was read; null: never, and it is 0.
  subscribers_at INTEGER,
  quality REAL,
  citation REAL,
  last_post_at INTEGER,
  -- For comparisons with other tables.
  is_chat INTEGER NOT NULL GENERATED ALWAYS AS (kind = 'chat') VIRTUAL
) STRICT;

-- All else of a channel, read by id only. Category and territory are slugs that the importer
-- checks; as foreign keys they would make the removal of a directory entry scan this table.
CREATE TABLE channel_cards (
  id INTEGER PRIMARY KEY REFERENCES channels (id),
  msgr_id INTEGER UNIQUE,
  handle TEXT COLLATE NOCASE UNIQUE,
  title TEXT NOT NULL,
  description TEXT,
  link TEXT,
  image TEXT,
  category TEXT,
  categories TEXT NOT NULL,
  territory TEXT,
  a_plus INTEGER NOT NULL CHECK (a_plus IN (0, 1)),
  verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
  -- The newest of its former handles as the card shows them, separated by spaces.
  former_handles TEXT NOT NULL DEFAULT ''
) STRICT;

-- Handles that channels had before, so that they still find them. Null: when is not known, since a file
-- said so. Of two that were given up at one instant, the one with the larger id was the later.
CREATE TABLE former_handles (
  id INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  handle TEXT NOT NULL COLLATE NOCASE,
  given_up_at INTEGER,
  UNIQUE (handle, channel_id)
) STRICT;
CREATE INDEX former_handles_by_channel ON former_handles (channel_id);

-- Channels that were merged or deleted, whose numbers no other channel gets, with the names by which files
-- may still have them; a name that a channel took over is null here.
CREATE TABLE removed_channels (
  id INTEGER PRIMARY KEY,
  msgr_id INTEGER,
  handle TEXT COLLATE NOCASE,
  -- The channel that got what it had; null: it was deleted.
  into_id INTEGER,
  removed_at INTEGER NOT NULL,
  -- 0: some of its rows are still to be moved or removed.
  is_done INTEGER NOT NULL CHECK (is_done IN (0, 1)),
  -- 0: it was restored, and the next row that names it makes it a channel again.
  is_kept_out INTEGER NOT NULL DEFAULT 1 CHECK (is_kept_out IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX removed_channels_by_msgr_id ON removed_channels (msgr_id) WHERE msgr_id IS NOT NULL;
CREATE UNIQUE INDEX removed_channels_by_handle ON removed_channels (handle) WHERE handle IS NOT NULL;
CREATE INDEX removed_channels_by_into ON removed_channels (into_id) WHERE into_id IS NOT NULL;
CREATE INDEX removed_channels_under_way ON removed_channels (id) WHERE is_done = 0;

-- Cards of public channels as they are shown (channels/card.ts), made when they change and read as
-- they lie: a page of fifty would else take five hundred texts out of the database.
CREATE TABLE public_cards (
  id INTEGER PRIMARY KEY REFERENCES channels (id),
  json TEXT NOT NULL
) STRICT;

-- Counts the changes of cards, whoever makes them: units are committed all the time, and by it a serving
-- process knows that what another one committed left its cached cards as they are.
CREATE TABLE cards_version (version INTEGER NOT NULL) STRICT;
INSERT INTO cards_version VALUES (1);
CREATE TRIGGER public_cards_added AFTER INSERT ON public_cards BEGIN
  UPDATE cards_version SET version = version + 1;
END;
CREATE TRIGGER public_cards_changed AFTER UPDATE ON public_cards BEGIN
  UPDATE cards_version SET version = version + 1;
END;
CREATE TRIGGER public_cards_removed AFTER DELETE ON public_cards BEGIN
  UPDATE cards_version SET version = version + 1;
END;

-- The last changes of channels, by which each process keeps up with what the others write
-- (search/columns/read-columns.store.ts). One that is further behind reads all channels again.
CREATE TABLE channel_changes (
  version INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL,
  -- 0: its numbers; 1: all of it; 2: it is gone, and its number may be given again.
  what INTEGER NOT NULL CHECK (what IN (0, 1, 2))
) STRICT;
CREATE TRIGGER channel_changes_kept AFTER INSERT ON channel_changes BEGIN
  DELETE FROM channel_changes WHERE version <= new.version - 262144;
END;
CREATE TRIGGER channels_changed
AFTER UPDATE OF kind, is_public, subscribers, subscribers_at, quality, citation, last_post_at ON channels BEGIN
  INSERT INTO channel_changes (channel_id, what)
  VALUES (new.id, new.kind <> old.kind OR new.is_public <> old.is_public);
END;
CREATE TRIGGER channels_deleted AFTER DELETE ON channels BEGIN
  INSERT INTO channel_changes (channel_id, what) VALUES (old.id, 2);
END;

-- Channels of the sample that ships, each as it was loaded: one that an import changed since is the
-- operator's own, and is not removed with the sample.
CREATE TABLE sample_channels (
  id INTEGER PRIMARY KEY,
  handle TEXT,
  title TEXT NOT NULL,
  subscribers INTEGER NOT NULL
) STRICT;

---- Search of channels

-- Search texts (channels/search-text.ts), folded title and handle on a line each, and facets of the filters.
CREATE TABLE channel_texts (
  id INTEGER PRIMARY KEY REFERENCES channels (id),
  search_text TEXT NOT NULL,
  facets TEXT NOT NULL
) STRICT;
CREATE TRIGGER channel_texts_added AFTER INSERT ON channel_texts BEGIN
  INSERT INTO channel_changes (channel_id, what) VALUES (new.id, 1);
END;
CREATE TRIGGER channel_texts_changed AFTER UPDATE ON channel_texts BEGIN
  INSERT INTO channel_changes (channel_id, what) VALUES (new.id, 1);
END;
CREATE TRIGGER channel_texts_removed AFTER DELETE ON channel_texts BEGIN
  INSERT INTO channel_changes (channel_id, what) VALUES (old.id, 1);
END;

-- The search index has channels by their numbers, which never change.
CREATE VIRTUAL TABLE channel_search USING fts5 (
  search_text, content = '', contentless_delete = 1, detail = none,
  tokenize = 'trigram case_sensitive 1'
);
-- Segments of the index are merged in short transactions of their own (search/search-terms.ts), not within
-- those that write to it. A merge of all segments of a size at once is put off as far as FTS5 allows.
INSERT INTO channel_search (channel_search, rank) VALUES ('automerge', 0);
INSERT INTO channel_search (channel_search, rank) VALUES ('crisismerge', 1999);

-- How many channels have a trigram of the search index in their search text; only those that many
-- have. Counted now and then (search/search-terms.ts): a search is right with any counts.
CREATE TABLE search_trigrams (
  trigram TEXT PRIMARY KEY,
  channels INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

---- Statistics and metrics

-- One channel's days lie together.
CREATE TABLE daily_statistics (
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  day INTEGER NOT NULL,
  subscribers INTEGER NOT NULL CHECK (subscribers >= 0),
  views INTEGER NOT NULL CHECK (views >= 0),
  posts INTEGER NOT NULL CHECK (posts >= 0),
  -- 1: an import gave the value; 0: it is derived from the day's posts.
  views_given INTEGER NOT NULL DEFAULT 1 CHECK (views_given IN (0, 1)),
  posts_given INTEGER NOT NULL DEFAULT 1 CHECK (posts_given IN (0, 1)),
  PRIMARY KEY (channel_id, day)
) STRICT, WITHOUT ROWID;

-- Days with a derived value whose posts changed since (statistics/open-days.ts).
CREATE TABLE changed_days (
  channel_id INTEGER NOT NULL,
  day INTEGER NOT NULL,
  PRIMARY KEY (channel_id, day)
) STRICT, WITHOUT ROWID;

-- Growth and engagement (catalog/metrics), in two slots: the one that is read, and the one that a night
-- writes, which is read once it is whole. Percents are in hundredths. A channel without a row has no
-- metrics yet.
CREATE TABLE channel_metrics (
  slot INTEGER NOT NULL,
  id INTEGER NOT NULL,
  -- The channel's kind, whether it had under 100 subscribers, and whether its last reading was no older
  -- than 7 days, when this was computed.
  is_chat INTEGER NOT NULL,
  is_small INTEGER NOT NULL,
  is_fresh INTEGER NOT NULL,
  growth_1d INTEGER,
  growth_7d INTEGER,
  growth_30d INTEGER,
  growth_7d_percent INTEGER,
  growth_30d_percent INTEGER,
  posts_30d INTEGER,
  ads_30d INTEGER,
  reach_30d INTEGER,
  err_30d INTEGER,
  statistics_until INTEGER,
  reach_24h INTEGER,
  reach_24h_posts INTEGER,
  reach_48h INTEGER,
  reach_48h_posts INTEGER,
  ad_reach_24h INTEGER,
  ad_reach_24h_posts INTEGER,
  ad_reach_48h INTEGER,
  ad_reach_48h_posts INTEGER,
  PRIMARY KEY (slot, id)
) STRICT, WITHOUT ROWID;

-- The slot that is read, the number of the last run that began to write the other, and how many public
-- channels and chats lack a fresh reading, so that orders by metrics leave them out: one row.
CREATE TABLE metrics_read (
  slot INTEGER NOT NULL CHECK (slot IN (0, 1)),
  run INTEGER NOT NULL,
  -- How many runs were published: processes read the metrics again when it changes.
  published INTEGER NOT NULL,
  channels_left_out INTEGER NOT NULL,
  chats_left_out INTEGER NOT NULL
) STRICT;
INSERT INTO metrics_read VALUES (0, 0, 0, 0, 0);

CREATE TRIGGER channel_metrics_removed BEFORE DELETE ON channels BEGIN
  DELETE FROM channel_metrics WHERE slot IN (0, 1) AND id = old.id;
END;

-- Trending words (catalog/trends). The days that words are compared with: pairs of the hash of a term and how
-- many channels used it, packed.
CREATE TABLE trend_days (
  day INTEGER PRIMARY KEY,
  channels INTEGER NOT NULL,
  counted_at INTEGER NOT NULL,
  terms BLOB NOT NULL
) STRICT;
-- What the last run found: one row, JSON, packed.
CREATE TABLE trends (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  made_at INTEGER NOT NULL,
  content BLOB NOT NULL
) STRICT;

---- Posts

CREATE TABLE posts (
  id INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  msgr_post_id INTEGER,
  published_at INTEGER NOT NULL,
  is_ad INTEGER NOT NULL CHECK (is_ad IN (0, 1)),
  views INTEGER NOT NULL CHECK (views >= 0),
  read_at INTEGER NOT NULL,
  -- The first reading of its views at these ages (posts/post.ts); before the text, so that they are
  -- read without its further pages.
  views_1h INTEGER CHECK (views_1h >= 0),
  views_12h INTEGER CHECK (views_12h >= 0),
  views_24h INTEGER CHECK (views_24h >= 0),
  views_48h INTEGER CHECK (views_48h >= 0),
  link TEXT,
  text TEXT NOT NULL,
  edited_at INTEGER,
  -- The time at which its views were read; null where they never were, and are 0 then.
  views_at INTEGER,
  -- Kinds of its media, separated by spaces.
  media TEXT,
  forwards INTEGER CHECK (forwards >= 0),
  reactions INTEGER CHECK (reactions >= 0),
  comments INTEGER CHECK (comments >= 0),
  -- Number of a channel that may be gone or hidden by now: it is looked up when the post is shown.
  forwarded_from INTEGER,
  forwarded_from_name TEXT,
  album TEXT,
  -- Links that its text shows under other words: a JSON list.
  links TEXT
) STRICT;
CREATE UNIQUE INDEX posts_by_messenger_id ON posts (channel_id, msgr_post_id);
CREATE INDEX posts_by_time ON posts (channel_id, published_at, id);
CREATE INDEX posts_ads_by_time ON posts (channel_id, published_at, id) WHERE is_ad = 1;

-- Posts that were taken down: their identity only, so that no import brings them back unasked.
CREATE TABLE post_tombstones (
  id INTEGER PRIMARY KEY,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  msgr_post_id INTEGER,
  deleted_at INTEGER NOT NULL,
  -- An export that ended with it goes on behind it. Null where it never was in the catalog.
  published_at INTEGER
) STRICT;
CREATE INDEX post_tombstones_by_messenger_id ON post_tombstones (channel_id, msgr_post_id);

-- The highest number of posts that are gone, in one row. Customers know posts by their numbers, so none is
-- given again, even when the tombstone is gone with its channel.
CREATE TABLE post_numbers (highest INTEGER NOT NULL) STRICT;
INSERT INTO post_numbers VALUES (0);
CREATE TRIGGER posts_removed BEFORE DELETE ON posts BEGIN
  -- Posts that wait to be cut into events: this one is not sent.
  DELETE FROM read_posts WHERE post_id = old.id;
  UPDATE post_numbers SET highest = old.id WHERE highest < old.id;
END;
CREATE TRIGGER post_tombstones_added AFTER INSERT ON post_tombstones BEGIN
  UPDATE post_numbers SET highest = new.id WHERE highest < new.id;
END;

-- Channels that posts link to, or are forwarded from, by the name that the post has for them
-- (mentions/mention-target.ts): which channel has that name is looked up when it is asked for.
CREATE TABLE mentions (
  target TEXT NOT NULL,
  -- The post's own, so that the newest are found without reading posts.
  published_at INTEGER NOT NULL,
  post_id INTEGER NOT NULL,
  channel_id INTEGER NOT NULL,
  -- 1: a link; 2: a forward; 3: both.
  kinds INTEGER NOT NULL CHECK (kinds IN (1, 2, 3)),
  PRIMARY KEY (target, published_at, post_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_by_post ON mentions (channel_id, published_at, post_id);
-- Whoever removes or moves a post, its mentions follow.
CREATE TRIGGER posts_removed_mentions AFTER DELETE ON posts BEGIN
  DELETE FROM mentions
  WHERE channel_id = old.channel_id AND published_at = old.published_at AND post_id = old.id;
END;
CREATE TRIGGER posts_moved_mentions AFTER UPDATE OF channel_id, published_at ON posts
WHEN new.channel_id <> old.channel_id OR new.published_at <> old.published_at BEGIN
  UPDATE mentions SET channel_id = new.channel_id, published_at = new.published_at
  WHERE channel_id = old.channel_id AND published_at = old.published_at AND post_id = old.id;
END;

---- Search of posts

-- Parts of the index, each an FTS5 table of a Moscow month's posts (post-search/parts.store.ts), which is
-- made when the first post of its month is, and named by its number.
CREATE TABLE post_search_parts (
  id INTEGER PRIMARY KEY,
  -- Its rows: those of searched_posts from the one, to before the other.
  first_row INTEGER NOT NULL,
  end_row INTEGER NOT NULL,
  -- A part is read until one that was built beside it takes its place; then its table is emptied and dropped.
  state TEXT NOT NULL CHECK (state IN ('building', 'read', 'leaving')),
  -- While building: rows up to it are in.
  after_row INTEGER NOT NULL,
  -- Which dictionary it was made with.
  dictionary TEXT NOT NULL,
  -- Whether another is to be built in its place, though the dictionary is the same.
  is_due INTEGER NOT NULL DEFAULT 0 CHECK (is_due IN (0, 1))
) STRICT;

-- The posts that the index has, by their rows in it, which are in the order of minutes but for some. Each
-- part has a trigger by which it follows deletions.
CREATE TABLE searched_posts (
  row INTEGER PRIMARY KEY,
  post_id INTEGER NOT NULL UNIQUE,
  channel_id INTEGER NOT NULL,
  published_at INTEGER NOT NULL,
  views INTEGER NOT NULL,
  -- How many words the text has.
  words INTEGER NOT NULL
) STRICT;

-- One row. Posts up to a number are in the index while it is built, or compared with it; the others follow.
CREATE TABLE post_search_state (
  phase TEXT NOT NULL CHECK (phase IN ('off', 'clearing', 'building', 'comparing', 'ready')),
  after_id INTEGER NOT NULL,
  -- How far behind the first row of its minute a post's row lies at the most.
  spill INTEGER NOT NULL DEFAULT 0,
  -- Another one since the index was emptied.
  edition INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO post_search_state (phase, after_id) VALUES ('ready', 0);

-- The stems that the index has, and estimated in how many posts each is. FTS5 reads all posts of a term
-- to name it.
CREATE TABLE post_search_stems (
  stem TEXT PRIMARY KEY,
  posts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Channels whose facets, or whether they are public, differ from what the index has of their posts; with
-- the post up to which it was brought to them.
CREATE TABLE post_search_stale (
  channel_id INTEGER PRIMARY KEY,
  after_at INTEGER NOT NULL,
  after_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER post_search_facets AFTER UPDATE OF facets ON channel_texts
WHEN old.facets <> new.facets
BEGIN
  INSERT INTO post_search_stale (channel_id, after_at, after_id)
    SELECT new.id, -9007199254740991, 0
    WHERE (SELECT phase FROM post_search_state) IN ('building', 'comparing', 'ready')
      AND EXISTS (SELECT 1 FROM posts WHERE channel_id = new.id)
    ON CONFLICT (channel_id) DO UPDATE SET after_at = excluded.after_at, after_id = 0;
END;
CREATE TRIGGER post_search_public AFTER UPDATE OF is_public ON channels
WHEN old.is_public <> new.is_public
BEGIN
  INSERT INTO post_search_stale (channel_id, after_at, after_id)
    SELECT new.id, -9007199254740991, 0
    WHERE (SELECT phase FROM post_search_state) IN ('building', 'comparing', 'ready')
      AND EXISTS (SELECT 1 FROM posts WHERE channel_id = new.id)
    ON CONFLICT (channel_id) DO UPDATE SET after_at = excluded.after_at, after_id = 0;
END;
CREATE TRIGGER post_search_channel_gone AFTER DELETE ON channels BEGIN
  DELETE FROM post_search_stale WHERE channel_id = old.id;
END;
-- A post that is gone, for whatever reason, is found no more.
CREATE TRIGGER post_search_post_gone AFTER DELETE ON posts BEGIN
  DELETE FROM searched_posts WHERE post_id = old.id;
END;

---- Customers

CREATE TABLE plans (
  code TEXT PRIMARY KEY,
  position INTEGER NOT NULL,
  requests_per_second INTEGER NOT NULL,
  requests_per_period INTEGER NOT NULL,
  posts INTEGER NOT NULL CHECK (posts IN (0, 1)),
  history_days INTEGER,
  exports INTEGER NOT NULL CHECK (exports IN (0, 1)),
  webhooks INTEGER NOT NULL,
  webhook_channels INTEGER NOT NULL,
  alerts INTEGER NOT NULL DEFAULT 0,
  -- Milliseconds a second that an organization's queries and changes may take.
  database_ms_per_second INTEGER NOT NULL DEFAULT 250,
  lock_ms_per_second INTEGER NOT NULL DEFAULT 50,
  -- JSON: words, price and how it is bought (accounts/plan-offer.ts).
  offer TEXT NOT NULL DEFAULT '{}'
) STRICT, WITHOUT ROWID;
INSERT INTO plans (code, position, requests_per_second, requests_per_period, posts, history_days, exports, webhooks,
  webhook_channels, alerts, database_ms_per_second, lock_ms_per_second) VALUES
  ('test', 0, 2, 1000, 0, 30, 0, 0, 0, 0, 250, 50),
  ('start', 1, 5, 30000, 1, NULL, 0, 0, 0, 0, 250, 50),
  ('growth', 2, 10, 150000, 1, NULL, 0, 1, 500, 10, 250, 50),
  ('profi', 3, 30, 1000000, 1, NULL, 1, 5, 5000, 200, 250, 50);

CREATE TABLE organizations (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  -- The name in lower case, by which it is found: SQLite only knows the case of Latin letters.
  search_name TEXT NOT NULL,
  plan TEXT NOT NULL REFERENCES plans (code),
  plan_started_at INTEGER NOT NULL,
  plan_ends_at INTEGER,
  created_at INTEGER NOT NULL,
  archived_at INTEGER
) STRICT;
CREATE INDEX organizations_by_search_name ON organizations (search_name);
CREATE INDEX organizations_by_plan_end ON organizations (plan_ends_at)
  WHERE plan_ends_at IS NOT NULL;

-- Customers' requests for another plan: at most one of an organization is open.
CREATE TABLE plan_requests (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id),
  plan TEXT NOT NULL,
  note TEXT NOT NULL,
  -- E-mail address of who asks.
  person TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- What organizations buy through Stripe (customers/selling). Its ids are texts.
CREATE TABLE stripe_customers (
  organization_id INTEGER PRIMARY KEY REFERENCES organizations (id),
  customer TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE stripe_subscriptions (
  id TEXT PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  customer TEXT NOT NULL,
  plan TEXT NOT NULL,
  status TEXT NOT NULL,
  is_ending INTEGER NOT NULL CHECK (is_ending IN (0, 1)),
  paid_until INTEGER,
  given_until INTEGER,
  version INTEGER NOT NULL,
  checked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stripe_subscriptions_by_organization ON stripe_subscriptions (organization_id);
CREATE INDEX stripe_subscriptions_by_check ON stripe_subscriptions (checked_at);
CREATE TABLE stripe_refunds (
  charge TEXT PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  amount INTEGER NOT NULL,
  currency TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stripe_refunds_by_organization ON stripe_refunds (organization_id);
CREATE TABLE stripe_events (id TEXT PRIMARY KEY, received_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX stripe_events_by_age ON stripe_events (received_at);

CREATE TABLE members (
  id INTEGER PRIMARY KEY,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  email TEXT NOT NULL COLLATE NOCASE,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'administrator', 'member')),
  created_at INTEGER NOT NULL,
  suspended_at INTEGER,
  UNIQUE (organization_id, email)
) STRICT;
-- Where somebody is a member is asked for every page.
CREATE INDEX members_by_email ON members (email);

-- Searches of the catalog that members keep under names.
CREATE TABLE saved_lists (
  id INTEGER PRIMARY KEY,
  member_id INTEGER NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- Filters and ordering, as the query of a request to the catalog.
  query TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (member_id, name)
) STRICT;

CREATE TABLE keys (
  id INTEGER PRIMARY KEY,
  member_id INTEGER NOT NULL REFERENCES members (id),
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  access TEXT NOT NULL CHECK (access IN ('read_only', 'read_write')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;
CREATE INDEX keys_by_member ON keys (member_id);

-- Counts the changes of plans, organizations, members and keys, whoever makes them, so that a
-- serving process knows with one short read whether what it remembers still holds.
CREATE TABLE accounts_version (version INTEGER NOT NULL) STRICT;
INSERT INTO accounts_version VALUES (1);
CREATE TRIGGER plans_changed AFTER UPDATE ON plans BEGIN
  UPDATE accounts_version SET version = version + 1;
END;
-- Another plan may have had its code before.
CREATE TRIGGER plans_added AFTER INSERT ON plans BEGIN
  UPDATE accounts_version SET version = version + 1;
END;
CREATE TRIGGER organizations_changed AFTER UPDATE ON organizations BEGIN
  UPDATE accounts_version SET version = version + 1;
END;
CREATE TRIGGER members_changed AFTER UPDATE ON members BEGIN
  UPDATE accounts_version SET version = version + 1;
END;
-- Not for last_used_at, which serving itself writes all the time.
CREATE TRIGGER keys_changed AFTER UPDATE OF name, expires_at, revoked_at ON keys BEGIN
  UPDATE accounts_version SET version = version + 1;
END;

CREATE TABLE usage_periods (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  started_at INTEGER NOT NULL,
  used INTEGER NOT NULL,
  PRIMARY KEY (organization_id, started_at)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_days (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  day INTEGER NOT NULL,
  method TEXT NOT NULL,
  key_id INTEGER NOT NULL REFERENCES keys (id),
  status INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  units INTEGER NOT NULL,
  PRIMARY KEY (organization_id, day, method, key_id, status)
) STRICT, WITHOUT ROWID;
-- The retention job asks whether a key still has usage.
CREATE INDEX usage_days_by_key ON usage_days (key_id);

-- Mails that told an organization how much of a period's quota is used.
CREATE TABLE quota_mails (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  period_started_at INTEGER NOT NULL,
  percent INTEGER NOT NULL,
  PRIMARY KEY (organization_id, period_started_at, percent)
) STRICT, WITHOUT ROWID;

-- The last requests of each key, for its owner: a hundred, for a week.
CREATE TABLE request_log (
  id INTEGER PRIMARY KEY,
  key_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  verb TEXT NOT NULL,
  -- With its query.
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  units INTEGER NOT NULL,
  -- Why it was refused or failed, as JSON; only of statuses 429 and above.
  reason TEXT
) STRICT;
CREATE INDEX request_log_by_key ON request_log (key_id, id);
CREATE INDEX request_log_by_age ON request_log (at);

---- People and sign-in

-- People who sign in; the library better-auth reads and writes these four (people/auth.ts).
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  -- 1: who has the password has the mailbox, or got the link from staff. Else whoever invited them
  -- may have chosen it.
  email_verified INTEGER NOT NULL,
  -- Whether the latest password link went to the mailbox, or was made by staff.
  link_is_trusted INTEGER NOT NULL DEFAULT 0 CHECK (link_is_trusted IN (0, 1)),
  image TEXT,
  -- Of their pages, when they last signed in or chose one; null if it is not known yet.
  language TEXT,
  -- The operator's own people: they see the console.
  is_staff INTEGER NOT NULL DEFAULT 0 CHECK (is_staff IN (0, 1)),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  expires_at TEXT NOT NULL,
  ip_address TEXT,
  user_agent TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_end ON sessions (expires_at);

CREATE TABLE credentials (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  access_token TEXT,
  refresh_token TEXT,
  id_token TEXT,
  access_token_expires_at TEXT,
  refresh_token_expires_at TEXT,
  scope TEXT,
  password TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX credentials_by_person ON credentials (person_id);

CREATE TABLE verifications (
  id TEXT PRIMARY KEY,
  identifier TEXT NOT NULL,
  value TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX verifications_by_identifier ON verifications (identifier);

-- Networks from which somebody signed in before: guesses of others do not lock them out there. The
-- network is kept as a keyed hash.
CREATE TABLE known_networks (
  person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  network BLOB NOT NULL,
  signed_in_at INTEGER NOT NULL,
  PRIMARY KEY (person_id, network)
) STRICT, WITHOUT ROWID;

-- Links that were mailed to visitors who want an account, each until it is used or too old.
CREATE TABLE sign_ups (
  -- SHA-256: who reads the file can open none.
  token_hash BLOB PRIMARY KEY,
  email TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_ups_by_email ON sign_ups (email);
CREATE INDEX sign_ups_by_age ON sign_ups (expires_at);

-- What staff and owners changed, by whom.
CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  -- The e-mail address as it was; empty for the command line.
  person TEXT NOT NULL,
  organization_id INTEGER,
  -- Such as key.create.
  action TEXT NOT NULL,
  -- What it was done to, such as key 3.
  target TEXT NOT NULL,
  -- Details as a JSON object; never a secret.
  details TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_by_organization ON audit_log (organization_id, id);
CREATE INDEX audit_log_by_person ON audit_log (person COLLATE NOCASE, id);
CREATE INDEX audit_log_by_age ON audit_log (at);

---- OAuth

-- A person's key that a client of OAuth has: it opens by access tokens only, and ends with its refresh
-- token. Clients are not stored: their ids describe them, and these tables know them by the SHA-256 of
-- their id.
CREATE TABLE oauth_grants (
  key_id INTEGER PRIMARY KEY REFERENCES keys (id),
  client_hash BLOB NOT NULL,
  -- The host that the person was sent back to.
  host TEXT NOT NULL
) STRICT;

-- Authorization codes, by SHA-256. A used one is kept until it is pruned, so that its replay is seen.
CREATE TABLE oauth_codes (
  hash BLOB PRIMARY KEY,
  client_hash BLOB NOT NULL,
  -- As the person who consented saw it.
  client_name TEXT NOT NULL,
  member_id INTEGER NOT NULL REFERENCES members (id),
  redirect_uri TEXT NOT NULL,
  -- Of PKCE, method S256.
  challenge TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  -- The grant that it was exchanged for.
  key_id INTEGER REFERENCES oauth_grants (key_id) ON DELETE SET NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_codes_by_end ON oauth_codes (expires_at);
CREATE INDEX oauth_codes_by_member ON oauth_codes (member_id);
CREATE INDEX oauth_codes_by_key ON oauth_codes (key_id);

-- Access and refresh tokens, by SHA-256. A used refresh token is kept until its end, so that its replay is
-- seen.
CREATE TABLE oauth_tokens (
  hash BLOB PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES oauth_grants (key_id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_tokens_by_key ON oauth_tokens (key_id);
CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires_at);

---- Webhooks

-- Numbers are never used again: receivers know webhooks and deliveries by them.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Null for an address of the operator's own, which gets the appliance's events.
  organization_id INTEGER REFERENCES organizations (id),
  url TEXT NOT NULL,
  -- Encrypted with KANALOG_SECRET.
  secret BLOB NOT NULL,
  -- Signs beside the present one until an instant, after a rotation with an overlap.
  former_secret BLOB,
  former_secret_until INTEGER,
  -- Empty while active.
  disabled_reason TEXT NOT NULL CHECK (disabled_reason IN ('', 'failures', 'customer', 'staff')),
  -- Posts read later than this are sent: it was created, enabled, or its plan renewed then.
  since_sequence INTEGER NOT NULL,
  -- First failed attempt since the last success or since it was enabled.
  failing_since INTEGER,
  -- How much of the time since then no process was running.
  down_ms INTEGER NOT NULL DEFAULT 0,
  last_success_at INTEGER,
  -- How long the last attempt took; null before the first one.
  last_duration_ms INTEGER,
  last_error TEXT NOT NULL DEFAULT '',
  tested_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Why staff disabled it, for staff.
  staff_note TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX webhooks_by_organization ON webhooks (organization_id);
CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE failing_since IS NOT NULL;

CREATE TABLE webhook_channels (
  channel_id INTEGER NOT NULL REFERENCES channels (id),
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  -- Posts read later than this are sent: the channel has been watched since then.
  since_sequence INTEGER NOT NULL,
  PRIMARY KEY (channel_id, webhook_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX webhook_channels_by_webhook ON webhook_channels (webhook_id);

-- The channels that a webhook watches, as a JSON list in the order given: shown as it lies. The rows of
-- webhook_channels say the same by channel, so that a changed list writes only what is not the same.
-- Apart from the webhook, whose row is written at each attempt.
CREATE TABLE webhook_lists (
  webhook_id INTEGER PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  channels TEXT NOT NULL
) STRICT;

-- Webhooks whose rows of webhook_channels are being changed to what their list says, in several
-- transactions; and the list by which their events are made meanwhile.
CREATE TABLE changing_lists (
  webhook_id INTEGER PRIMARY KEY REFERENCES webhooks (id) ON DELETE CASCADE,
  served TEXT NOT NULL
) STRICT;

-- The posts of watched channels in the order they were read, until they are cut into events. A row
-- of the import's own transaction, so that neither a crash nor a wrong clock loses one.
CREATE TABLE read_posts (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  post_id INTEGER NOT NULL REFERENCES posts (id)
) STRICT;
-- Finds those of a post when it is removed.
CREATE INDEX read_posts_by_post ON read_posts (post_id);
-- A post that is brought back is inserted before its tombstone is removed: it was read long ago, and is
-- not sent again.
CREATE TRIGGER posts_read AFTER INSERT ON posts
WHEN new.published_at >= new.read_at - 2 * 24 * 60 * 60 * 1000
  AND EXISTS (SELECT 1 FROM webhook_channels WHERE channel_id = new.channel_id)
  AND NOT EXISTS (SELECT 1 FROM post_tombstones WHERE id = new.id)
BEGIN
  INSERT INTO read_posts (post_id) VALUES (new.id);
END;

-- One event for one webhook.
CREATE TABLE webhook_deliveries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  -- Numbers of the posts, as a JSON list.
  posts TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'dropped')),
  -- Scheduled attempts that failed.
  failures INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER,
  -- Whose attempt is under way, and until when it can be.
  claim TEXT,
  claimed_until INTEGER,
  -- The alert that the posts matched, which may be deleted by now.
  alert_id INTEGER
) STRICT;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at)
  WHERE state = 'pending';
CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (webhook_id, claimed_until)
  WHERE claimed_until IS NOT NULL;
CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

-- What is sent, byte for byte. Apart, so that noting an attempt does not write it anew.
CREATE TABLE webhook_bodies (
  delivery_id INTEGER PRIMARY KEY REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE webhook_attempts (
  id INTEGER PRIMARY KEY,
  delivery_id INTEGER NOT NULL REFERENCES webhook_deliveries (id) ON DELETE CASCADE,
  attempted_at INTEGER NOT NULL,
  -- Null where no answer came.
  status INTEGER,
  -- Empty where it succeeded.
  error TEXT NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_attempts_by_delivery ON webhook_attempts (delivery_id, id);

-- Pings and resends of the last minute, which are limited by organization and receiving host.
CREATE TABLE manual_attempts (
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  host TEXT NOT NULL,
  attempted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX manual_attempts_by_host ON manual_attempts (organization_id, host, attempted_at);
CREATE INDEX manual_attempts_by_age ON manual_attempts (attempted_at);

-- One row: when events were cut last, when a process last looked for what is due, and by when it
-- has attempted what fell due while none did.
CREATE TABLE webhook_look (
  batched_at INTEGER NOT NULL,
  looked_at INTEGER,
  overdue_until INTEGER NOT NULL,
  -- Until when ends of plans have become events of the operator.
  plans_checked_at INTEGER NOT NULL
) STRICT;
INSERT INTO webhook_look VALUES (0, NULL, 0, 0);

-- Events of the appliance, until they are deliveries to the operator's own webhooks.
CREATE TABLE operator_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event TEXT NOT NULL,
  -- What the event says, as a JSON object.
  facts TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

---- Alerts

-- Words that posts are searched for as they are read. Numbers are never used again: receivers know
-- alerts by them.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  organization_id INTEGER NOT NULL REFERENCES organizations (id),
  webhook_id INTEGER NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  q TEXT NOT NULL,
  -- Null where posts of all channels match. No foreign key: a channel may be deleted.
  channel_id INTEGER,
  -- Slugs, as channels have them.
  category TEXT,
  territory TEXT,
  is_ad INTEGER CHECK (is_ad IN (0, 1)),
  digest TEXT NOT NULL DEFAULT 'each' CHECK (digest IN ('each', 'hourly', 'daily')),
  -- Posts read later than this are sent: the alert is as it is since then.
  since_sequence INTEGER NOT NULL,
  -- Posts up to this are cut into events.
  cut_sequence INTEGER NOT NULL DEFAULT 0,
  -- The Moscow day on which a post was cut last, and how many were on it.
  sent_day INTEGER NOT NULL DEFAULT 0,
  sent_posts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX alerts_by_organization ON alerts (organization_id, id);
CREATE INDEX alerts_by_webhook ON alerts (webhook_id);
-- Finds alerts that are past a post.
CREATE INDEX alerts_by_cut ON alerts (cut_sequence, since_sequence);
CREATE INDEX alerts_by_channel ON alerts (channel_id) WHERE channel_id IS NOT NULL;

-- The last changes of what alerts ask for: a process that keeps alerts in memory reads these again. One
-- that finds more changes made than are kept reads all alerts.
CREATE TABLE alert_changes (
  version INTEGER PRIMARY KEY AUTOINCREMENT,
  alert_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER alert_changes_kept AFTER INSERT ON alert_changes BEGIN
  DELETE FROM alert_changes WHERE version <= new.version - 500;
END;
CREATE TRIGGER alerts_added AFTER INSERT ON alerts BEGIN
  INSERT INTO alert_changes (alert_id) VALUES (new.id);
END;
CREATE TRIGGER alerts_changed AFTER UPDATE OF webhook_id, q, channel_id, category, territory, is_ad ON alerts BEGIN
  INSERT INTO alert_changes (alert_id) VALUES (new.id);
END;
CREATE TRIGGER alerts_removed AFTER DELETE ON alerts BEGIN
  INSERT INTO alert_changes (alert_id) VALUES (old.id);
END;
CREATE TRIGGER alert_webhooks_switched AFTER UPDATE OF disabled_reason ON webhooks
WHEN (old.disabled_reason = '') <> (new.disabled_reason = '') BEGIN
  INSERT INTO alert_changes (alert_id) SELECT id FROM alerts WHERE webhook_id = new.id;
END;

-- Posts of all channels in the order they were read, until alerts are matched with them. Apart from
-- read_posts, so that matching holds up no webhook's own posts.
CREATE TABLE alert_posts (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  post_id INTEGER NOT NULL REFERENCES posts (id)
) STRICT;
CREATE INDEX alert_posts_by_post ON alert_posts (post_id);
CREATE TRIGGER posts_read_by_alerts AFTER INSERT ON posts
WHEN new.published_at >= new.read_at - 2 * 24 * 60 * 60 * 1000
  AND EXISTS (SELECT 1 FROM alerts)
  AND NOT EXISTS (SELECT 1 FROM post_tombstones WHERE id = new.id)
BEGIN
  INSERT INTO alert_posts (post_id) VALUES (new.id);
END;
CREATE TRIGGER posts_removed_from_alerts BEFORE DELETE ON posts BEGIN
  DELETE FROM alert_posts WHERE post_id = old.id;
END;

-- Posts that matched an alert with a digest, until they are sent together.
CREATE TABLE alert_waiting (
  alert_id INTEGER NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  way TEXT NOT NULL CHECK (way IN ('webhook', 'mail')),
  -- No foreign key: a post that is gone by then is left out.
  post_id INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  PRIMARY KEY (alert_id, way, post_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_waiting_due ON alert_waiting (due_at);

-- Members who want an alert's matches by mail too. Whoever has the token may end it.
CREATE TABLE alert_mails (
  alert_id INTEGER NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  member_id INTEGER NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  token TEXT NOT NULL UNIQUE,
  PRIMARY KEY (alert_id, member_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_mails_by_member ON alert_mails (member_id);

---- Mail

CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Addresses, as a JSON list.
  recipients TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  failures INTEGER NOT NULL DEFAULT 0,
  next_attempt_at INTEGER NOT NULL,
  claim TEXT,
  claimed_until INTEGER,
  html TEXT NOT NULL DEFAULT '',
  -- Address of the page that ends mails of this kind.
  unsubscribe TEXT,
  -- 0: a mail of the appliance's own. Otherwise a stranger asked for it, and it was the rank's mail of their
  -- network within the hour: those of a low rank are sent first.
  rank INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX mails_due ON mails (rank, next_attempt_at);

---- Imports and sources

-- Imports that were started in the console.
CREATE TABLE import_runs (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  file_name TEXT NOT NULL,
  person TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('running', 'done', 'failed')),
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  -- The summary so far, as a JSON object.
  summary TEXT NOT NULL,
  -- A message, as JSON.
  failure TEXT,
  -- The process that runs it, and when that process last said so: one that says nothing any more is gone.
  owner TEXT NOT NULL DEFAULT '',
  heartbeat_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX import_runs_running ON import_runs (id) WHERE state = 'running';

-- What data comes from by itself (sources).
CREATE TABLE sources (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  kind TEXT NOT NULL CHECK (kind IN ('pull', 'folder', 'telegram', 'max')),
  -- As JSON, by its kind.
  settings TEXT NOT NULL,
  -- Encrypted with KANALOG_SECRET: headers of a pull, the token of a bot. Null where there is none.
  secret BLOB,
  -- An interval such as 15m, or a cron pattern in Moscow time.
  schedule TEXT NOT NULL,
  is_paused INTEGER NOT NULL DEFAULT 0 CHECK (is_paused IN (0, 1)),
  created_at INTEGER NOT NULL,
  -- How far it was read, as JSON, by its kind.
  position TEXT NOT NULL DEFAULT '{}',
  -- Somebody wants it run now, whatever the schedule.
  is_asked INTEGER NOT NULL DEFAULT 0 CHECK (is_asked IN (0, 1)),
  -- The process that runs it, and when that process last said so; null where none does.
  owner TEXT,
  heartbeat_at INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  succeeded_at INTEGER,
  -- Runs that failed since the last success, and what the last one failed for, as JSON.
  failures INTEGER NOT NULL DEFAULT 0,
  failure TEXT,
  -- What it failed for lately, newest first, as JSON.
  faults TEXT NOT NULL DEFAULT '[]',
  -- The other side asked not to be asked before.
  retry_at INTEGER,
  -- The import's summary of the last run that read something, as JSON.
  summary TEXT,
  -- Staff were told by mail that it is silent.
  is_told INTEGER NOT NULL DEFAULT 0 CHECK (is_told IN (0, 1))
) STRICT;

-- Rows that were read, by Moscow day.
CREATE TABLE source_days (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  day INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (source_id, day)
) STRICT, WITHOUT ROWID;

-- Files of a folder that are done: imported, or set aside.
CREATE TABLE source_files (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  modified_at INTEGER NOT NULL,
  -- Why it was set aside, as JSON; null: it was imported.
  fault TEXT,
  -- 1: it was moved into the folder of rejected files, so that one of this name is another.
  is_moved INTEGER NOT NULL DEFAULT 0 CHECK (is_moved IN (0, 1)),
  PRIMARY KEY (source_id, name)
) STRICT, WITHOUT ROWID;

-- Channels that a bot was added to, those that it was removed from included.
CREATE TABLE source_chats (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  -- The messenger's number of it, in digits as its API writes them: a JSON number could not hold all of them.
  chat TEXT NOT NULL,
  title TEXT NOT NULL,
  handle TEXT,
  -- 0: the bot was removed.
  is_read INTEGER NOT NULL CHECK (is_read IN (0, 1)),
  -- When its card was last read; null: it is to be read.
  card_at INTEGER,
  -- Why its card could not be read, as JSON.
  fault TEXT,
  PRIMARY KEY (source_id, chat)
) STRICT, WITHOUT ROWID;

-- The last messages that are one post with others: an edit tells of one of them only.
CREATE TABLE source_album_parts (
  source_id INTEGER NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
  chat TEXT NOT NULL,
  message_id INTEGER NOT NULL,
  album TEXT NOT NULL,
  -- The number of the message that the post has its own from.
  post_id INTEGER NOT NULL,
  text TEXT NOT NULL,
  links TEXT NOT NULL,
  media TEXT NOT NULL,
  PRIMARY KEY (source_id, chat, message_id)
) STRICT, WITHOUT ROWID;

---- The operator's API

-- Keys of the operator's API.
CREATE TABLE operator_keys (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  -- SHA-256 of the whole key.
  hash BLOB NOT NULL UNIQUE,
  -- JSON list of what it may do: read, customers, data, system.
  can TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

-- Requests with an Idempotency-Key, kept for a day.
CREATE TABLE operator_requests (
  key_id INTEGER NOT NULL REFERENCES operator_keys (id),
  -- SHA-256, in base64, of the caller's key and of the request that it was sent with.
  idempotency_key TEXT NOT NULL,
  request TEXT NOT NULL,
  -- When its latest attempt began.
  started_at INTEGER NOT NULL,
  -- Set in the transaction of the change.
  is_done INTEGER NOT NULL DEFAULT 0 CHECK (is_done IN (0, 1)),
  -- NULL until it is answered; the body is sealed, since it may contain a new key.
  status INTEGER,
  body BLOB,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX operator_requests_by_start ON operator_requests (started_at);

---- Upkeep

CREATE TABLE jobs (
  name TEXT PRIMARY KEY,
  due_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  failure TEXT
) STRICT, WITHOUT ROWID;

-- Work that one process does for all of them: who has it, and when that process last said so.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  -- Null where nobody has it.
  owner TEXT,
  heartbeat_at INTEGER NOT NULL
) STRICT;
INSERT INTO leases VALUES ('upkeep', NULL, 0);

-- How the appliance was doing, hour by hour: requests with a good key, and how large the file was.
CREATE TABLE hours (
  started_at INTEGER PRIMARY KEY,
  requests INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  duration_us INTEGER NOT NULL,
  slowest_us INTEGER NOT NULL,
  file_bytes INTEGER NOT NULL
) STRICT;

-- How many requests of an hour took how long, by classes of durations (hours/durations.ts).
CREATE TABLE hour_durations (
  started_at INTEGER NOT NULL,
  class INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (started_at, class)
) STRICT, WITHOUT ROWID;

---- Clusters

-- One row where the file is a node's copy of a cluster's shared rows.
CREATE TABLE cluster_copy (
  -- Of the cluster.
  id TEXT NOT NULL,
  -- Of the newest commit of shared rows that it has.
  version INTEGER NOT NULL,
  -- What it has of PostgreSQL's usage, as JSON: the server, and the number of each lane's newest commit.
  usage_copied TEXT NOT NULL,
  -- When it was known to be the newest.
  newest_at INTEGER NOT NULL,
  -- Of this file, by which two nodes of one name are told apart.
  copy_id TEXT NOT NULL,
  -- Of the newest commit, given at random: another history of the cluster, after its PostgreSQL was put back
  -- to a former state, has another one at this version.
  mark TEXT
) STRICT;
