import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { createMachine, type Machine, until } from "../support/machine.ts";

/** Sources in real processes that are killed and stopped, over a real server of files. */

const POSTS = 4_000;
/** More often in a campaign of its own. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);

let machine: Machine;
let files: Bun.Server<undefined>;
let edition: number;
/** Answers that are held up until a test lets them go. */
let gate: Promise<void> | null;
beforeEach(() => {
  machine = createMachine();
  edition = 1;
  gate = null;
  files = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    async fetch(request) {
      await gate;
      const etag = `"${edition}"`;
      if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
      return new Response(posts(edition), { headers: { etag, "content-type": "text/csv" } });
    },
  });
});
afterEach(async () => {
  await files.stop(true);
  await machine.leave();
});

function posts(edition: number): string {
  const rows = Array.from(
    { length: POSTS },
    (_, at) => `1,${at + 1},2025-11-01T10:00:00Z,пост ${at + 1} (${edition}),${edition}`,
  );
  return `channel,msgr_post_id,published_at,text,views\n${rows.join("\n")}\n`;
}

/** Has the source run at once: after some kills it would wait. */
function ask(): void {
  const db = machine.open();
  db.exec("UPDATE sources SET is_asked = 1");
  db.close();
}

const environment = { KANALOG_SOURCE_ALLOW: "127.0.0.0/8" };

async function addSource(): Promise<void> {
  machine.write("channels.csv", "id,title,subscribers,is_public\n1,One,100,true\n");
  expect((await machine.run(["import", "channels", "channels.csv"])).exitCode).toBe(0);
  const url = `http://127.0.0.1:${files.port}/posts.csv`;
  const words = ["source", "add", "pull", "--kind", "posts", "--url", url, "--name", "files"];
  expect((await machine.run(words, { environment })).exitCode).toBe(0);
}

const stored = () =>
  machine.query<{ posts: number; last: number }>(
    "SELECT count(*) AS posts, coalesce(sum(text LIKE ?), 0) AS last FROM posts",
    `%(${edition})`,
  )[0];
const source = () =>
  machine.query<{ owner: string | null; failures: number; position: string }>(
    "SELECT owner, failures, position FROM sources",
  )[0];
const isIdle = () =>
  source()?.owner === null && source()?.position === `{"etag":"\\"${edition}\\""}`;

test("killed at any moment, what a file gives is there once, with its last text", async () => {
  await addSource();
  for (; edition <= KILLS; edition++) {
    ask();
    const server = await machine.serve(["serve"], { environment });
    await until(() => source()?.owner !== null);
    // Somewhere between the claim and the end: at another place each time.
    await until(() => (stored()?.last ?? 0) >= ((edition * 977) % POSTS) / 2);
    process.kill(server.pid, "SIGKILL");
    await server.stop();
  }
  ask();
  const server = await machine.serve(["serve"], { environment });
  await until(isIdle);
  await server.stop();
  expect(stored()).toEqual({ posts: POSTS, last: POSTS });
  expect(source()?.failures).toBe(0);
  expect(readdirSync(machine.folder).filter((name) => name.includes(".upload-"))).toEqual([]);
});

test("of two processes on one database, one reads it", async () => {
  await addSource();
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const servers = [
    await machine.serve(["serve"], { environment }),
    await machine.serve(["serve"], { environment }),
  ];
  await until(() => source()?.owner !== null);
  const command = await machine.run(["source", "run", "files"], { environment });
  expect(command).toMatchObject({ exitCode: 1, notes: "The source files is running.\n" });
  resolve();
  await until(isIdle);
  for (const server of servers) expect(await server.stop()).toBe(0);
  const days = machine.query<{ rows: number }>("SELECT rows FROM source_days");
  expect(days).toEqual([{ rows: POSTS }]);
});

test("stopped while it waits for the other side, the process ends, and the next one reads it", async () => {
  await addSource();
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = promise;
  const first = await machine.serve(["serve"], { environment });
  await until(() => source()?.owner !== null);
  expect(await first.stop()).toBe(0);
  expect(source()).toMatchObject({ owner: null, failures: 0 });
  resolve();
  const second = await machine.serve(["serve"], { environment });
  await until(isIdle);
  await second.stop();
  expect(stored()).toEqual({ posts: POSTS, last: POSTS });
});
