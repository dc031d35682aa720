import { openCurrent } from "../../../src/app/domains.ts";
import { facetsOf, searchTextOf } from "../../../src/catalog/channels/search-text.ts";
import type { Database } from "../../../src/db/database.ts";
import { DAY_MS } from "../../../src/values/moscow-time.ts";
import type { Appliance, Customer } from "../../support/appliance.ts";
import { fakePorts } from "../../support/fake-ports.ts";
import { startWithOAuth } from "../../support/oauth-client.ts";
import { SCRAPED } from "../../support/scrape.ts";
import { STORED_SUMMARY } from "../../support/stored-run.ts";
import { type Call, callsWith } from "../../support/webhook-calls.ts";

/** An appliance whose database is at the limits of the plans (or beyond those of small tables). */
export interface World {
  appliance: Appliance;
  /** A caller whose organization has 5 webhooks with 5,000 channels each, the channels 1 to 5,000. */
  customer: Customer;
  /** A request with the customer's key. */
  call: Call;
  /** Numbers of the customer's webhooks. */
  webhooks: number[];
}

export const CHANNELS = 30_000;
const WATCHED = 5_000;
/** Posts published in the last two days, 20 in each watched channel. */
export const FRESH_POSTS = 100_000;
/** Fresh posts that were read and not cut into events yet. */
const UNCUT_POSTS = 5_000;
/** A channel with ten thousand more posts. */
export const BUSY_CHANNEL = 20_000;
const WEBHOOKS = 1_000;
const ORGANIZATIONS = 2_000;

/** SQL: rows `n (i)` with the numbers from 1 to `count`. */
function numbers(count: number): string {
  return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;
}

/**
 * Filled with set statements, in some seconds. SQLite's own statistics (ANALYZE) are not used by the
 * product.
 */
export async function startWorld(): Promise<World> {
  const ports = fakePorts();
  const appliance = await startWithOAuth(SCRAPED, ports, { open: openCurrent });
  const { db } = appliance.app.domains;
  const customer = await appliance.customer({ access: "read_write" });
  const now = ports.clock.now();
  // JavaScript numbers would be bound as REAL.
  const values = { now: BigInt(now), day: BigInt(DAY_MS) };
  const add = (sql: string): void => void db.prepare(sql).run(values);
  registerTexts(db);

  db.exec("BEGIN");
  addCatalog(add);
  addCustomers(add, customer);
  db.exec("COMMIT");

  const call = callsWith(appliance, customer.key);
  const channels = Array.from({ length: WATCHED }, (_, at) => at + 1);
  const webhooks: number[] = [];
  for (let at = 0; at < 5; at++) {
    const url = `https://receiver${at}.example/hook`;
    const { status, body } = await call("POST", "", { url, channels });
    if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`);
    webhooks.push(body.id);
  }
  db.exec("BEGIN");
  addPush(add);
  db.exec("COMMIT");
  return { appliance, customer, call, webhooks };
}

type Add = (sql: string) => void;

/** Every second channel is in "science", every thousandth in "kazan", and two of three are marked. */
function registerTexts(db: Database): void {
  const idOf = (table: string, slug: string): number =>
    db.prepare(`SELECT id FROM ${table} WHERE slug = ?`).raw().get(slug)?.[0] as number;
  const [science, news] = [idOf("categories", "science"), idOf("categories", "news")];
  const kazan = idOf("territories", "kazan");
  db.defineFunction("search_text", (id, title) => searchTextOf(String(title), `channel_${id}`));
  db.defineFunction("facets", (id) =>
    facetsOf({
      categoryIds: [Number(id) % 2 === 1 ? science : news],
      territoryIds: Number(id) % 1000 === 1 ? [kazan] : [],
      aPlus: Number(id) % 3 !== 0,
      verified: false,
    }),
  );
}

function addCatalog(add: Add): void {
  add(`${numbers(CHANNELS)}
    INSERT INTO channels
      (id, kind, is_public, subscribers, quality, citation, last_post_at)
    SELECT i, iif(i % 40 = 0, 'chat', 'channel'), i <= ${WATCHED} OR i % 50 <> 9, (i * 7919) % 100003,
      iif(i % 3 = 0, NULL, (i % 1000) / 8.0), iif(i % 10 = 0, NULL, i % 7),
      iif(i % 2 = 0, NULL, @now - (i % 300) * 3600000)
    FROM n`);
  add(`INSERT INTO channel_texts (id, search_text, facets)
    SELECT id, search_text(id, 'Общий канал ' || id || iif(id % 100 = 7, ' редкий', '')), facets(id)
    FROM channels`);
  add(`INSERT INTO channel_cards
      (id, msgr_id, handle, title, description, link, image, category, categories, territory,
       a_plus, verified)
    SELECT id, 1000000 + id, 'channel_' || id, 'Общий канал ' || id, 'О канале', NULL, NULL,
      iif(id % 2, 'science', 'news'), '', iif(id % 1000 = 1, 'kazan', NULL), id % 3 <> 0, 0
    FROM channels`);
  add(`INSERT INTO former_handles (channel_id, handle, given_up_at)
    SELECT id, 'former_' || (id / 3), @now - id FROM channels`);
  add("UPDATE channel_cards SET former_handles = 'former_' || (id / 3) WHERE id < 3");
  add(`INSERT INTO removed_channels (id, into_id, removed_at, is_done, msgr_id, handle)
    SELECT 1000000 + id, NULL, @now, 1, iif(id % 2, 5000000000 + id, NULL), 'removed_' || id
    FROM channels`);
  add(`INSERT INTO public_cards (id, json)
    SELECT c.id, replace(replace(json_object('id', c.id, 'title', k.title, 'kind', c.kind, 'handle', k.handle,
      'description', k.description, 'link', k.link, 'image', k.image,
      'subscribers', 'S', 'category', k.category, 'categories', json('[]'),
      'territory', k.territory, 'a_plus', json(iif(k.a_plus, 'true', 'false')),
      'verified', json('false'), 'quality', c.quality, 'citation', c.citation, 'last_post_at', 'L',
      'former_handles', json('[]')), '"S"', char(1)), '"L"', char(2))
    FROM channels c CROSS JOIN channel_cards k ON k.id = c.id WHERE c.is_public = 1`);
  add(`INSERT INTO channel_search (rowid, search_text)
    SELECT t.id, t.search_text FROM channel_texts t CROSS JOIN channels c ON c.id = t.id
    WHERE c.is_public = 1 ORDER BY t.id`);
  add(`INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts)
    SELECT c.id, @now / @day - d.value, 100, 10, 1 FROM channels c, json_each('[0,1,2,3]') d`);
  add(`${numbers(400)}
    INSERT INTO daily_statistics (channel_id, day, subscribers, views, posts)
    SELECT c.value, @now / @day - 3 - i, 100, 10, 1
    FROM json_each('[1,2,3,4,5,6,7,8,9,10]') c, n`);
  add(`${numbers(FRESH_POSTS)}
    INSERT INTO posts (id, channel_id, msgr_post_id, published_at, is_ad, views, read_at, text)
    SELECT i, i % ${WATCHED} + 1, i, @now - i, i % 10 = 0, i % 3 * 100, @now, 'Пост ' || i FROM n`);
  add(`${numbers(10_000)}
    INSERT INTO posts (id, channel_id, msgr_post_id, published_at, is_ad, views, read_at, text)
    SELECT ${FRESH_POSTS} + i, ${BUSY_CHANNEL}, i, @now - i / 10 * 60000, i % 10 = 0, 5, @now,
      'Пост' FROM n`);
  add("UPDATE post_search_state SET phase = 'building', after_id = 0");
  // Every fresh post mentions the first channel, and one other.
  add(`INSERT INTO mentions (target, published_at, post_id, channel_id, kinds)
    SELECT iif(t.value, 'channel_1', '#' || (p.id % 3000 + 2)), p.published_at, p.id, p.channel_id,
      iif(t.value, 1, 2)
    FROM posts p, json_each('[0,1]') t WHERE p.id <= ${FRESH_POSTS}`);
}

function addCustomers(add: Add, { organizationId, memberId, keyId }: Customer): void {
  const next = organizationId + 1;
  add(`${numbers(ORGANIZATIONS)}
    INSERT INTO organizations (name, search_name, plan, plan_started_at, plan_ends_at, created_at)
    SELECT 'Organization ' || i, 'organization ' || i, 'profi', @now - 20 * @day, NULL, @now - 400 * @day FROM n`);
  add(`INSERT INTO members (organization_id, email, name, role, created_at)
    SELECT id, 'person' || id || '@example.com', 'Person', 'owner', created_at
    FROM organizations WHERE id >= ${next}`);
  add(`INSERT INTO keys (member_id, name, prefix, hash, access, created_at)
    SELECT m.id, 'key', 'k', randomblob(32), 'read_only', created_at
    FROM members m, json_each('[1,2]') WHERE m.id > ${memberId}`);
  // An assistant for every second key, with valid tokens and some expired ones.
  add(
    `UPDATE keys SET expires_at = @now + (id % 100 - 5) * @day WHERE id % 2 = 0 AND id > ${keyId}`,
  );
  add(`INSERT INTO oauth_grants SELECT id, randomblob(32), 'assistant.example' FROM keys
    WHERE id % 2 = 0 AND id > ${keyId}`);
  add(`INSERT INTO oauth_tokens SELECT randomblob(32), key_id, iif(t.value = 1, 'access', 'refresh'),
      @now + (t.value - 3) * 3600000, NULL
    FROM oauth_grants, json_each('[1,2,3,4,5]') t`);
  add(`INSERT INTO oauth_codes SELECT randomblob(32), g.client_hash, 'Assistant', k.member_id,
      'https://assistant.example/back', 'c', @now - g.key_id * 60000, @now, g.key_id
    FROM oauth_grants g JOIN keys k ON k.id = g.key_id`);
  // 50 organizations that use ten methods every day, including the customer's.
  add(`${numbers(400)}
    INSERT INTO usage_days (organization_id, day, method, key_id, status, requests, units)
    SELECT o.id, @now / @day - i + 1, 'method' || m.value, ${keyId}, 200, 5, 5
    FROM n, json_each('[0,1,2,3,4,5,6,7,8,9]') m, organizations o
    WHERE o.id BETWEEN ${organizationId} AND ${organizationId + 49}`);
  add(`INSERT INTO usage_periods (organization_id, started_at, used)
    SELECT o.id, plan_started_at + p.value * 30 * @day, 7
    FROM organizations o, json_each('[0,1,2]') p`);
  add(`INSERT INTO people (id, name, email, email_verified, created_at, updated_at)
    SELECT 'person ' || id, name, email, id % 10 <> 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'
    FROM members`);
  add(`INSERT INTO sessions (id, token, person_id, expires_at, created_at, updated_at)
    SELECT p.id || s.value, p.id || s.value, p.id, '2026-12-01T00:00:00.000Z', created_at, updated_at
    FROM people p, json_each('[1,2,3]') s`);
  add(`INSERT INTO credentials (id, account_id, provider_id, person_id, password, created_at,
      updated_at)
    SELECT id, id, 'credential', id, 'x', created_at, updated_at FROM people`);
  add(`INSERT INTO verifications (id, identifier, value, expires_at, created_at, updated_at)
    SELECT id, 'reset-password:' || id, id, '2026-11-20T10:00:00.000Z', created_at, updated_at
    FROM people LIMIT 500`);
  add(`${numbers(50_000)}
    INSERT INTO audit_log (at, person, organization_id, action, target, details)
    SELECT @now - i, 'person' || (i % 2000) || '@example.com', i % ${ORGANIZATIONS} + 1,
      'key.create', 'key 1', '{}' FROM n`);
  add(`${numbers(300)}
    INSERT INTO import_runs (kind, file_name, person, state, started_at, finished_at, summary)
    SELECT 'posts', 'posts.csv', 'a@example.com', 'done', @now, @now, '${STORED_SUMMARY}' FROM n`);
}

function addPush(add: Add): void {
  add(`${numbers(WEBHOOKS - 5)}
    INSERT INTO webhooks (organization_id, url, secret, disabled_reason, since_sequence,
      created_at, updated_at, last_duration_ms)
    SELECT i / 5 + 2, 'https://other.example/' || i, (SELECT secret FROM webhooks LIMIT 1), '', 0,
      @now, @now, 20 FROM n`);
  add(`INSERT INTO webhook_lists (webhook_id, channels)
    SELECT id, '[1,2,3,4,5,6,7,8,9,10]' FROM webhooks WHERE url LIKE 'https://other.%'`);
  add(`INSERT INTO webhook_channels (channel_id, webhook_id, since_sequence)
    SELECT c.value, w.id, 0
    FROM webhooks w, webhook_lists l, json_each(l.channels) c
    WHERE l.webhook_id = w.id AND w.url LIKE 'https://other.%'`);
  // The posts of the catalog are older than the webhooks; the latest were read again.
  add(`INSERT INTO read_posts (post_id) SELECT id FROM posts WHERE id <= ${UNCUT_POSTS}`);
  // Two alerts for each webhook, and posts that are not matched yet.
  add(`${numbers(2 * WEBHOOKS)}
    INSERT INTO alerts (organization_id, webhook_id, name, q, channel_id, since_sequence, created_at,
      updated_at)
    SELECT w.organization_id, w.id, 'Alert', 'word' || i, iif(i % 10 = 0, i, NULL), 0, @now, @now
    FROM n CROSS JOIN webhooks w ON w.id = i % ${WEBHOOKS} + 1`);
  add(`INSERT INTO alert_posts (post_id) SELECT id FROM posts WHERE id <= ${UNCUT_POSTS}`);
  // Deliveries in the log of each webhook over the last 60 days; some hundred of the customer's are due.
  add(`${numbers(50_000)}
    INSERT INTO webhook_deliveries (webhook_id, event, posts, created_at, state, next_attempt_at)
    SELECT i % ${WEBHOOKS} + 1, 'post.created', '[1]', @now - 60 * @day + i * (@day / 1000),
      'delivered', NULL FROM n`);
  add(`${numbers(3_000)}
    INSERT INTO webhook_deliveries (webhook_id, event, posts, created_at, state, failures,
      next_attempt_at)
    SELECT w.id, 'post.created', '[1]', @now - 3600000, 'pending', 3,
      @now + iif(i <= 100, -1000, 600000)
    FROM n CROSS JOIN webhooks w ON w.id = iif(i <= 1500, i % 5 + 1, i % ${WEBHOOKS} + 1)`);
  add("INSERT INTO webhook_bodies (delivery_id, body) SELECT id, '{}' FROM webhook_deliveries");
  add(`INSERT INTO webhook_attempts (delivery_id, attempted_at, status, error, duration_ms)
    SELECT id, created_at, 204, '', 20 FROM webhook_deliveries WHERE state = 'delivered'`);
  add(`UPDATE webhooks SET failing_since = @now - iif(id % 40 = 0, 25, 1) * 3600000
    WHERE id % 20 = 0`);
  add(`${numbers(2_000)}
    INSERT INTO mails (recipients, subject, text, html, created_at, next_attempt_at)
    SELECT '["a@example.com"]', 'Subject', 'Text', '', @now, @now + iif(i <= 3, -1000, 600000)
    FROM n`);
}
