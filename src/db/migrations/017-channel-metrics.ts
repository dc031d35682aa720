/** Metrics that catalogs can be ordered by, with the number that stands for each in `metric_orders`. */
const ORDERED = [
  [1, "growth_7d"],
  [2, "growth_30d"],
  [3, "growth_30d_percent"],
  [4, "reach_30d"],
  [5, "err_30d"],
] as const;

const forgetOrders = [0, 1].flatMap((slot) =>
  ORDERED.map(
    ([metric, column]) => `
  DELETE FROM metric_orders WHERE slot = ${slot} AND metric = ${metric} AND id = old.id
    AND (is_chat, value) = (SELECT is_chat, ${column} FROM channel_metrics
      WHERE slot = ${slot} AND id = old.id);`,
  ),
);

/** Schema version 17. A migration that has shipped is never edited. */
export const channelMetrics = `
-- Growth and engagement (catalog/metrics), in two slots: the one that is read, and the one that a night
-- writes, which is read once it is whole. Percents are in hundredths. A channel without a row has no
-- metrics yet.
CREATE TABLE channel_metrics (
  slot INTEGER NOT NULL,
  id INTEGER NOT NULL,
  -- The channel's kind, and whether it had under 100 subscribers, when this was computed.
  is_chat INTEGER NOT NULL,
  is_small INTEGER NOT NULL,
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
  PRIMARY KEY (slot, id)
) STRICT, WITHOUT ROWID;

-- The channels that have a metric, in its order. An index of the table above would have each night's new
-- values written all over it: some 20 KB of log a channel, in place of some 20 bytes.
CREATE TABLE metric_orders (
  slot INTEGER NOT NULL,
  metric INTEGER NOT NULL,
  is_chat INTEGER NOT NULL,
  value INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (slot, metric, is_chat, value DESC, id)
) STRICT, WITHOUT ROWID;

-- The slot that is read, and the number of the last run that began to write the other: one row.
CREATE TABLE metrics_read (
  slot INTEGER NOT NULL CHECK (slot IN (0, 1)),
  run INTEGER NOT NULL
) STRICT;
INSERT INTO metrics_read VALUES (0, 0);
-- Orders of a slot whose values were written since they were made.
CREATE TABLE stale_orders (
  slot INTEGER NOT NULL, metric INTEGER NOT NULL, PRIMARY KEY (slot, metric)
) STRICT, WITHOUT ROWID;

-- Channels without a metric come after all others, in the order of their numbers.
CREATE INDEX channels_by_kind ON channels (is_chat) WHERE is_public = 1;

-- The numbers of a sample's channels may be given again.
CREATE TRIGGER channel_metrics_removed BEFORE DELETE ON channels BEGIN${forgetOrders.join("")}
  DELETE FROM channel_metrics WHERE slot IN (0, 1) AND id = old.id;
END;
`;
