/**
 * Pages of mentions and of similar channels, for a channel that many posts mention, and a bulk export compared
 * with a bare loop over the same rows: `bun test/bench/mentions-and-export.ts [posts] [requests]`. Pages and
 * export go through the served API.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGzip } from "node:zlib";
import { type App, createApp } from "../../src/app/app.ts";
import { POST_COLUMNS, type PostRecord, toPostView } from "../../src/catalog/posts/post.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { systemPorts } from "../../src/ports/ports.ts";

const SOURCES = 5_000;
/** Size of the parts that the loop writes, and its compression level, both the same as the export's. */
const PART_CHARACTERS = 256 * 1024;
const EXPORT_GZIP_LEVEL = 3;
const MEGABYTE = 1_000_000;
const posts = Number(process.argv[2] ?? 1_000_000);
const requests = Number(process.argv[3] ?? 200);

const folder = mkdtempSync(join(tmpdir(), "kanalog-bench-"));
const config = readConfig({
  ...{ KANALOG_DB: join(folder, "bench.db"), KANALOG_PORT: "0" },
  // Otherwise its index would be built during the measurement.
  KANALOG_POST_SEARCH: "off",
});
const app = await createApp(config, systemPorts({ ...config, logLevel: "error" }));
try {
  fill(app);
  const headers = { authorization: `Bearer ${await makeKey(app)}` };
  const address = `${app.listen()}/v1/msgr`;
  const get = async (path: string) => {
    const answer = await fetch(address + path, { headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const paths = {
    "first page of mentions": "/channels/1/mentions/?limit=50",
    "page of forwards, which are rare": "/channels/1/mentions/?kind=forward",
    "similar channels": "/channels/1/similar/",
  };
  for (const [what, path] of Object.entries(paths)) {
    const tookMs: number[] = [];
    for (let count = 0; count < requests; count++) {
      const begunMs = performance.now();
      await (await get(path)).text();
      tookMs.push(performance.now() - begunMs);
    }
    tookMs.sort((one, other) => one - other);
    const at = (part: number) => (tookMs[Math.floor(part * (requests - 1))] ?? 0).toFixed(1);
    console.log(`${what}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }

  // Compressing takes most of the time, so the loop compresses if the export does.
  for (const encoding of ["identity", "gzip"] as const) {
    const bare = await bareLoop(app, encoding);
    console.log(
      `bare loop, ${encoding}: ${perSecond(bare.perMs)} rows/s, by processor time ${perSecond(bare.perUsedMs)}`,
    );
    const before = process.memoryUsage.rss();
    const begunMs = performance.now();
    const begunUsedMs = processorMs();
    let most = before;
    const looking = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 100);
    const bytes = await readApart(`${address}/export/posts/?format=ndjson`, {
      ...headers,
      "accept-encoding": encoding,
    });
    clearInterval(looking);
    const exported = posts / (performance.now() - begunMs);
    const used = posts / (processorMs() - begunUsedMs);
    const grown = (most - before) / MEGABYTE;
    console.log(
      `export, ${encoding}: ${perSecond(exported)} rows/s, by processor time ${perSecond(used)}: ` +
        `${(exported / bare.perMs).toFixed(2)} and ${(used / bare.perUsedMs).toFixed(2)} of it; ` +
        `${(bytes / MEGABYTE).toFixed(0)} MB of rows, memory grew by ${grown.toFixed(0)} MB`,
    );
  }
} finally {
  await app.close();
  rmSync(folder, { recursive: true });
}

/** Every post mentions some channel, every tenth also the first one; one in a thousand forwards from it. */
function fill({ domains: { db } }: App): void {
  db.exec(`
    BEGIN;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SOURCES})
    INSERT INTO channels (id, kind, is_public, subscribers) SELECT i, 'channel', 1, i * 100 FROM n;
    INSERT INTO channel_cards (id, handle, title, categories, a_plus, verified)
      SELECT id, 'channel_' || id, 'Channel ' || id, '', 0, 0 FROM channels;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${posts})
    INSERT INTO posts (id, channel_id, msgr_post_id, published_at, is_ad, views, read_at, text)
      SELECT i, i % ${SOURCES} + 1, i, 1700000000000 + i * 1000, 0, 5, 1700000000000,
        hex(randomblob(300)) FROM n;
    INSERT INTO mentions (target, published_at, post_id, channel_id, kinds)
      SELECT 'channel_' || (id % 997 + 2), published_at, id, channel_id, 1 FROM posts;
    INSERT INTO mentions (target, published_at, post_id, channel_id, kinds)
      SELECT 'channel_1', published_at, id, channel_id, iif(id % 1000 = 0, 2, 1) FROM posts
      WHERE id % 10 = 0;
    COMMIT`);
}

async function makeKey({ domains: { accounts, keys } }: App): Promise<string> {
  const plan = { requestsPerSecond: 1_000_000, requestsPerPeriod: 1_000_000_000 };
  await accounts.changePlan("profi", plan, COMMAND_LINE);
  const { id: organizationId } = await accounts.createOrganization(
    { name: "Bench", plan: "profi" },
    COMMAND_LINE,
  );
  const member = { organizationId, email: "a@example.com", name: "A", role: "owner" } as const;
  const { id: memberId } = await accounts.addMember(member, COMMAND_LINE);
  const key = { memberId, name: "bench", access: "read_only", expiresAt: null } as const;
  return (await keys.createKey(key, COMMAND_LINE)).token;
}

/** Reads an answer in another process, so that its processor time is not counted. @returns its size in bytes */
async function readApart(url: string, headers: Record<string, string>): Promise<number> {
  const script = `
    let bytes = 0;
    const { body } = await fetch(${JSON.stringify(url)}, { headers: ${JSON.stringify(headers)} });
    for await (const chunk of body) bytes += chunk.byteLength;
    console.log(bytes);`;
  const reader = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  return Number(await new Response(reader.stdout).text());
}

function perSecond(perMs: number): string {
  return (1000 * perMs).toFixed(0);
}

/** Processor time of all threads so far, which other work on the machine does not change. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Reads the posts, serializes them to JSON, and compresses that as the export does. @returns rows per
 * millisecond, by the clock and by processor time
 */
async function bareLoop(
  { domains: { db } }: App,
  encoding: "identity" | "gzip",
): Promise<{ perMs: number; perUsedMs: number }> {
  const begunMs = performance.now();
  const begunUsedMs = processorMs();
  const gzip = createGzip({ level: EXPORT_GZIP_LEVEL });
  let bytes = 0;
  const keep = async (text: string): Promise<void> => {
    const part = Buffer.from(text);
    bytes += part.byteLength;
    if (encoding === "gzip") await new Promise((resolve) => gzip.write(part, resolve));
  };
  gzip.resume();
  let text = "";
  const rows = db.prepare(`SELECT ${POST_COLUMNS} FROM posts p ORDER BY p.id`).iterate();
  for (const row of rows as Iterable<PostRecord>) {
    text += `${JSON.stringify(toPostView(row))}\n`;
    if (text.length < PART_CHARACTERS) continue;
    await keep(text);
    text = "";
  }
  await keep(text);
  gzip.end();
  if (bytes === 0) throw new Error("there are no posts");
  return {
    perMs: posts / (performance.now() - begunMs),
    perUsedMs: posts / (processorMs() - begunUsedMs),
  };
}
