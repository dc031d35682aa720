-- Names in braces are values of cluster-schema.ts.

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
  -- Of the owner's program: an older one than the cluster's cannot hold it, because it changes nothing.
  schema_version integer NOT NULL,
  beat_at timestamptz NOT NULL
);

-- A process counts usage in a lane: its rows are changed by nobody else, so commits of several nodes wait for
-- each other's flush only near an organization's quota. "changed" is the number of the lane's commit that
-- wrote the row. Commits of a lane follow each other, so a node copies what is above the number it has seen;
-- the numbers are rows like others, and stay right in a dump that is put back on another server.
CREATE TABLE kanalog.lanes (
  lane integer PRIMARY KEY,
  commits bigint NOT NULL
) WITH (fillfactor = 20);
INSERT INTO kanalog.lanes SELECT lane, 0 FROM generate_series(0, {last_lane}) lane;

CREATE TABLE kanalog.usage_periods (
  organization_id bigint NOT NULL,
  started_at bigint NOT NULL,
  lane integer NOT NULL,
  used bigint NOT NULL,
  changed bigint NOT NULL,
  PRIMARY KEY (organization_id, started_at, lane)
);
CREATE INDEX usage_periods_changed ON kanalog.usage_periods (lane, changed);

CREATE TABLE kanalog.usage_days (
  organization_id bigint NOT NULL,
  day bigint NOT NULL,
  method text NOT NULL,
  key_id bigint NOT NULL,
  status integer NOT NULL,
  lane integer NOT NULL,
  requests bigint NOT NULL,
  units bigint NOT NULL,
  changed bigint NOT NULL,
  PRIMARY KEY (organization_id, day, method, key_id, status, lane)
);
CREATE INDEX usage_days_changed ON kanalog.usage_days (lane, changed);

CREATE TABLE kanalog.key_uses (
  key_id bigint NOT NULL,
  lane integer NOT NULL,
  used_at bigint NOT NULL,
  changed bigint NOT NULL,
  PRIMARY KEY (key_id, lane)
);
CREATE INDEX key_uses_changed ON kanalog.key_uses (lane, changed);

-- The server and its timeline, by which a node detects that it counts elsewhere than before.
CREATE FUNCTION kanalog.server() RETURNS text LANGUAGE sql AS $$
  SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
  FROM pg_control_system()
$$;

-- The clock by which usage is counted: PostgreSQL's, whatever the node's shows.
CREATE FUNCTION kanalog.clock(of_node bigint) RETURNS bigint LANGUAGE sql AS $$ SELECT {now_ms} $$;

-- Counts the entries of a node's commit: each where the quota has room, and what its request went by
-- (key, member, organization, plans) is still as in the node's copy, at a commit of that mark. The clock above
-- decides the day, the period, and whether a key or plan has ended.
--
-- Far from its quota, an organization's counting shares a lock, and the units of all lanes are summed: each
-- of the lanes may have one commit that the sum lacks, of at most its share of the margin. Near the quota the
-- lock must be exclusive, and the sum is exact: the node names these organizations in "exact", and is told by
-- an error if one is missing. Organizations are locked in the order of their numbers, so that two nodes never
-- wait for each other.
--
-- Answers with the clock, and a list of [accepted, used, start of the period] in the order given; accepted is
-- null where the caller must be checked again.
CREATE FUNCTION kanalog.charge(
  own_lane integer, node_now bigint, copied bigint, copied_mark uuid, exact bigint[], entries json,
  key_uses json
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := kanalog.clock(node_now);
  today bigint := {today};
  entry record;
  locked bigint := NULL;
  checked bigint := NULL;
  is_exact boolean;
  wanted bigint;
  summed bigint := NULL;
  before bigint;
  margin bigint;
  number bigint;
  plans_version bigint;
  is_of_history boolean := EXISTS (
    SELECT FROM kanalog.commits WHERE version = copied AND mark = copied_mark
  );
  newest bigint;
  taken bigint;
  receipts json[] := array_fill(NULL::json, ARRAY[json_array_length(entries)]);
BEGIN
  IF abs(now_ms - node_now) > {clock_off_ms} THEN
    RAISE EXCEPTION USING ERRCODE = '{clock_wrong}', MESSAGE = format(
      'this machine''s clock is %s s %s PostgreSQL''s', abs(now_ms - node_now) / 1000,
      CASE WHEN node_now < now_ms THEN 'behind' ELSE 'ahead of' END);
  END IF;
  UPDATE kanalog.lanes SET commits = commits + 1 WHERE lane = own_lane RETURNING commits INTO number;
  SELECT max(version) INTO plans_version FROM kanalog.rows WHERE "table" = 'plans';
  FOR entry IN
    SELECT *, plan_started + greatest(0, (now_ms - plan_started) / {period_ms}) * {period_ms}
        AS period
    FROM (
      SELECT at, (given ->> 0)::bigint AS organization, (given ->> 1)::bigint AS key,
        given ->> 2 AS method, (given ->> 3)::integer AS status, (given ->> 4)::bigint AS plan_started,
        (given ->> 5)::bigint AS ends, (given ->> 6)::bigint AS quota, (given ->> 7)::bigint AS units,
        (given ->> 8)::bigint AS requests, (given ->> 9)::boolean AS is_part
      FROM json_array_elements(entries) WITH ORDINALITY AS all_entries (given, at)
    ) given
    -- Those that cost come first, so that the lock is taken before anything is read.
    ORDER BY organization, units = 0, at
  LOOP
    IF locked IS DISTINCT FROM entry.organization THEN
      locked := entry.organization;
      summed := NULL;
      wanted := 0;
      is_exact := locked = ANY (exact);
      IF is_exact THEN
        PERFORM pg_advisory_xact_lock(7361, locked::integer);
      ELSIF entry.units > 0 THEN
        PERFORM pg_advisory_xact_lock_shared(7361, locked::integer);
      END IF;
    END IF;
    IF summed IS DISTINCT FROM entry.period THEN
      summed := entry.period;
      SELECT coalesce(sum(used), 0) INTO before FROM kanalog.usage_periods
        WHERE organization_id = locked AND started_at = summed;
    END IF;
    IF entry.units = 0 THEN
      taken := entry.requests;
    ELSE
      IF checked IS DISTINCT FROM entry.key THEN
        checked := entry.key;
        SELECT greatest(plans_version, k.version, m.version, o.version) INTO newest
        FROM kanalog.rows k
          JOIN kanalog.rows m ON m."table" = 'members'
            AND m.key = '[' || (k.row::json ->> 'member_id') || ']'
          JOIN kanalog.rows o ON o."table" = 'organizations'
            AND o.key = '[' || (m.row::json ->> 'organization_id') || ']'
        WHERE k."table" = 'keys' AND k.key = '[' || checked || ']';
      END IF;
      IF newest IS NULL OR newest > copied OR NOT is_of_history OR now_ms >= entry.ends THEN
        receipts[entry.at] := json_build_array(NULL, before, summed);
        CONTINUE;
      END IF;
      margin := greatest(1000, entry.quota / 50);
      wanted := wanted + entry.units * entry.requests;
      IF NOT is_exact AND (wanted > margin / {lanes} OR before + margin > entry.quota) THEN
        RAISE EXCEPTION USING ERRCODE = '{near_quota}', MESSAGE = 'near a quota', DETAIL = locked;
      END IF;
      taken := least(entry.requests, greatest(0, (entry.quota - before) / entry.units));
    END IF;
    INSERT INTO kanalog.usage_days AS d
      SELECT locked, today, entry.method, entry.key, counted.status, own_lane,
        CASE WHEN entry.is_part THEN 0 ELSE counted.requests END, counted.units, number
      FROM (
        SELECT entry.status, taken, taken * entry.units WHERE taken > 0
        UNION ALL SELECT 429, entry.requests - taken, 0 WHERE taken < entry.requests AND NOT entry.is_part
      ) AS counted (status, requests, units)
      ON CONFLICT (organization_id, day, method, key_id, status, lane)
      DO UPDATE SET requests = d.requests + excluded.requests, units = d.units + excluded.units,
        changed = excluded.changed;
    IF taken * entry.units > 0 THEN
      INSERT INTO kanalog.usage_periods AS p VALUES (locked, summed, own_lane, taken * entry.units, number)
        ON CONFLICT (organization_id, started_at, lane)
        DO UPDATE SET used = p.used + excluded.used, changed = excluded.changed;
      before := before + taken * entry.units;
    END IF;
    receipts[entry.at] := json_build_array(taken, before, summed);
  END LOOP;
  INSERT INTO kanalog.key_uses AS u
    SELECT (given ->> 0)::bigint, own_lane, max((given ->> 1)::bigint), number
    FROM json_array_elements(key_uses) given GROUP BY 1
    ON CONFLICT (key_id, lane) DO UPDATE
    SET used_at = greatest(u.used_at, excluded.used_at), changed = excluded.changed;
  RETURN json_build_array(now_ms, array_to_json(receipts));
END $$;
