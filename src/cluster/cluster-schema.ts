/**
 * The cluster's own schema in PostgreSQL. All shared rows are in one table, in the form in which nodes send
 * them, so a node's schema can change without changing this one. PostgreSQL counts usage itself, in tables
 * and a function of its own.
 */
export const CLUSTER_SCHEMA = `
CREATE SCHEMA kanalog;

-- One row: whoever changes shared rows locks it, and commits them under the next version.
CREATE TABLE kanalog.state (
  id uuid NOT NULL,
  version bigint NOT NULL,
  -- The schema version of the newest node that changed anything.
  schema_version integer NOT NULL,
  -- Removed rows are forgotten up to this version: a copy that is older has to be made anew.
  forgotten_until bigint NOT NULL DEFAULT 0,
  -- Of KANALOG_SECRET: nodes with another one could not read the secrets in the rows.
  secret_check text NOT NULL
);

CREATE TABLE kanalog.rows (
  "table" text NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  -- A JSON object; null: the row was removed.
  row text,
  PRIMARY KEY ("table", key)
);
CREATE INDEX rows_by_version ON kanalog.rows (version);

-- A random mark for each commit of shared rows, by which copies of another history are detected.
CREATE TABLE kanalog.commits (
  version bigint PRIMARY KEY,
  mark uuid NOT NULL DEFAULT gen_random_uuid()
);

CREATE TABLE kanalog.nodes (
  name text PRIMARY KEY,
  -- Of its copy's file: another one is another node, by mistake of the same name.
  copy_id text NOT NULL,
  -- Of its copy.
  version bigint NOT NULL,
  seen_at timestamptz NOT NULL,
  program text NOT NULL
);

CREATE TABLE kanalog.leases (
  name text PRIMARY KEY,
  owner text,
  beat_at timestamptz NOT NULL
);

-- "changed" is the transaction that wrote the row: nodes copy those of transactions that may have ended
-- since they looked last.
CREATE TABLE kanalog.usage_periods (
  organization_id bigint NOT NULL,
  started_at bigint NOT NULL,
  used bigint NOT NULL,
  changed xid8 NOT NULL,
  PRIMARY KEY (organization_id, started_at)
);
CREATE INDEX usage_periods_changed ON kanalog.usage_periods (changed);

CREATE TABLE kanalog.usage_days (
  organization_id bigint NOT NULL,
  day bigint NOT NULL,
  method text NOT NULL,
  key_id bigint NOT NULL,
  status integer NOT NULL,
  requests bigint NOT NULL,
  units bigint NOT NULL,
  changed xid8 NOT NULL,
  PRIMARY KEY (organization_id, day, method, key_id, status)
);
CREATE INDEX usage_days_changed ON kanalog.usage_days (changed);

CREATE TABLE kanalog.key_uses (
  key_id bigint PRIMARY KEY,
  used_at bigint NOT NULL,
  changed xid8 NOT NULL
);
CREATE INDEX key_uses_changed ON kanalog.key_uses (changed);

CREATE FUNCTION kanalog.add_day(
  organization bigint, day bigint, method text, key bigint, status integer, requests bigint, units bigint
) RETURNS void LANGUAGE sql AS $$
  INSERT INTO kanalog.usage_days AS d
  VALUES ($1, $2, $3, $4, $5, $6, $7, pg_current_xact_id())
  ON CONFLICT (organization_id, day, method, key_id, status)
  DO UPDATE SET requests = d.requests + excluded.requests, units = d.units + excluded.units,
    changed = excluded.changed
$$;

-- Counts the entries of a node's commit: each where the quota has room, and what its request went by
-- (key, member, organization, plans) is still as in the node's copy, at a commit of that mark. Organizations
-- are locked in the order of their numbers, so that two nodes never wait for each other. Answers with a list
-- of [accepted, used] in the order given; accepted is null where the node's copy is out of date, or of
-- another history.
CREATE FUNCTION kanalog.charge(
  copied bigint, copied_mark uuid, entries json, key_uses json
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  entry record;
  locked bigint := NULL;
  plans_version bigint;
  is_of_history boolean := EXISTS (
    SELECT FROM kanalog.commits WHERE version = copied AND mark = copied_mark
  );
  newest bigint;
  before bigint;
  taken bigint;
  receipts json[] := array_fill(NULL::json, ARRAY[json_array_length(entries)]);
BEGIN
  SELECT max(version) INTO plans_version FROM kanalog.rows WHERE "table" = 'plans';
  FOR entry IN
    SELECT at, (given ->> 0)::bigint AS organization, (given ->> 1)::bigint AS key,
      given ->> 2 AS method, (given ->> 3)::integer AS status, (given ->> 4)::bigint AS day,
      (given ->> 5)::bigint AS period, (given ->> 6)::bigint AS quota, (given ->> 7)::bigint AS units,
      (given ->> 8)::bigint AS requests, (given ->> 9)::boolean AS is_part
    FROM json_array_elements(entries) WITH ORDINALITY AS all_entries (given, at)
    ORDER BY organization, at
  LOOP
    IF locked IS DISTINCT FROM entry.organization THEN
      locked := entry.organization;
      PERFORM pg_advisory_xact_lock(7361, locked::integer);
    END IF;
    SELECT coalesce(max(used), 0) INTO before FROM kanalog.usage_periods
      WHERE organization_id = entry.organization AND started_at = entry.period;
    IF entry.units = 0 THEN
      taken := entry.requests;
    ELSE
      SELECT greatest(plans_version, k.version, m.version, o.version) INTO newest
      FROM kanalog.rows k
        JOIN kanalog.rows m ON m."table" = 'members'
          AND m.key = '[' || (k.row::json ->> 'member_id') || ']'
        JOIN kanalog.rows o ON o."table" = 'organizations'
          AND o.key = '[' || (m.row::json ->> 'organization_id') || ']'
      WHERE k."table" = 'keys' AND k.key = '[' || entry.key || ']';
      IF newest IS NULL OR newest > copied OR NOT is_of_history THEN
        receipts[entry.at] := json_build_array(NULL, before);
        CONTINUE;
      END IF;
      taken := least(entry.requests, greatest(0, (entry.quota - before) / entry.units));
    END IF;
    IF taken > 0 THEN
      PERFORM kanalog.add_day(entry.organization, entry.day, entry.method, entry.key, entry.status,
        CASE WHEN entry.is_part THEN 0 ELSE taken END, taken * entry.units);
    END IF;
    IF taken < entry.requests AND NOT entry.is_part THEN
      PERFORM kanalog.add_day(entry.organization, entry.day, entry.method, entry.key, 429,
        entry.requests - taken, 0);
    END IF;
    IF taken * entry.units > 0 THEN
      INSERT INTO kanalog.usage_periods AS p
        VALUES (entry.organization, entry.period, taken * entry.units, pg_current_xact_id())
        ON CONFLICT (organization_id, started_at)
        DO UPDATE SET used = p.used + excluded.used, changed = excluded.changed;
    END IF;
    receipts[entry.at] := json_build_array(taken, before + taken * entry.units);
  END LOOP;
  INSERT INTO kanalog.key_uses AS u
    SELECT (given ->> 0)::bigint, max((given ->> 1)::bigint), pg_current_xact_id()
    FROM json_array_elements(key_uses) given GROUP BY 1 ORDER BY 1
    ON CONFLICT (key_id) DO UPDATE
    SET used_at = greatest(u.used_at, excluded.used_at), changed = excluded.changed;
  RETURN array_to_json(receipts);
END $$;
`;
