import { afterEach, beforeEach, expect, test } from "bun:test";
import { createMachine, type Machine, type Serving } from "../../support/machine.ts";

const SEARCH = "/v1/msgr/posts/search/?q=";
const OFF = { environment: { KANALOG_POST_SEARCH: "off" } };

let machine: Machine;
let key: string;
beforeEach(async () => {
  machine = createMachine();
  const channels = [1, 2].map((id) =>
    JSON.stringify({ id, title: `Channel ${id}`, subscribers: 1 }),
  );
  machine.write("channels.ndjson", channels.join("\n"));
  await machine.run(["import", "channels", "channels.ndjson"]);
  ({ key } = await machine.customer());
});
afterEach(() => machine.leave());

async function importPosts(first: number, last: number, text = "ипотека"): Promise<void> {
  const rows = Array.from({ length: last - first + 1 }, (_, at) =>
    JSON.stringify({
      ...{ id: first + at, channel: 1 + (at % 2), text: `${text} ${first + at}` },
      published_at: new Date(Date.UTC(2024, 0, 1, 0, first + at)).toISOString(),
    }),
  );
  machine.write("posts.ndjson", rows.join("\n"));
  const { exitCode } = await machine.run(["import", "posts", "posts.ndjson"]);
  expect(exitCode).toBe(0);
}

/** Makes the file one from before post search, with nothing indexed. */
function asBefore(): void {
  const db = machine.open();
  db.exec(`
    DELETE FROM searched_posts;
    UPDATE post_search_state SET phase = 'building', after_id = 0`);
  db.close();
}

const phase = (): string | undefined =>
  machine.query<{ phase: string }>("SELECT phase FROM post_search_state")[0]?.phase;

async function expectFound(server: Serving, q: string, matches: number): Promise<void> {
  const answer = await server.get(SEARCH + encodeURIComponent(q), key);
  expect(answer.status).toBe(200);
  expect(((await answer.json()) as { matches: number }).matches).toBe(matches);
}

/** Retries until the search answers, as customers would. */
async function untilReady(server: Serving): Promise<void> {
  for (;;) {
    const answer = await server.get(`${SEARCH}word`, key);
    const body = (await answer.json()) as { code?: string };
    if (answer.status === 200) return;
    expect([answer.status, body.code]).toEqual([503, "unavailable"]);
  }
}

async function faults(): Promise<string[]> {
  const { out } = await machine.run(["check", "--json"]);
  const { results } = JSON.parse(out) as { results: { faults: string[] }[] };
  return results.flatMap((result) => result.faults);
}

test("an existing database gets its index in the background, while all else keeps answering", async () => {
  await importPosts(1, 300);
  asBefore();
  const server = await machine.serve();
  const posts = await server.get("/v1/msgr/channels/1/posts/", key);
  expect(posts.status).toBe(200);
  await untilReady(server);
  await expectFound(server, "ипотеки", 300);
  expect(await faults()).toEqual([]);
  await server.stop();
}, 60_000);

test("a build that was killed continues, and posts imported meanwhile are indexed once", async () => {
  await importPosts(1, 200);
  asBefore();
  const db = machine.open();
  db.exec("UPDATE post_search_state SET after_id = 100");
  db.close();
  // The build will skip posts up to 100, which were never indexed; the import indexes those that it
  // changes.
  await importPosts(1, 100, "дача");
  await importPosts(150, 250, "дача");
  const server = await machine.serve();
  await untilReady(server);
  await expectFound(server, "дача", 201);
  await expectFound(server, "ипотека", 49);
  expect(await faults()).toEqual([]);
  await server.stop();
}, 60_000);

test("what one process takes down or hides is no longer found by another", async () => {
  await importPosts(1, 10);
  const server = await machine.serve();
  await expectFound(server, "ипотека", 10);
  await machine.run(["post", "delete", "1", "--yes"]);
  await expectFound(server, "ипотека", 9);
  await machine.run(["channel", "hide", "2"]);
  await expectFound(server, "ипотека", 4);
  await machine.run(["channel", "delete", "1", "--yes"]);
  await expectFound(server, "ипотека", 0);
  await server.stop();
}, 60_000);

test("post search that is switched off has no index and says so; switched on again, it is built", async () => {
  await importPosts(1, 50);
  const off = await machine.serve(["serve"], OFF);
  const answer = await off.get(`${SEARCH}word`, key);
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { code: "unavailable", detail: "Post search is switched off on this appliance." },
  ]);
  while (phase() !== "off") await off.get("/v1/me/", key);
  await importPosts(51, 60);
  expect(machine.query("SELECT 1 FROM searched_posts")).toEqual([]);
  expect(machine.query("SELECT 1 FROM sqlite_schema WHERE name LIKE 'post_search_1%'")).toEqual([]);
  expect(machine.query("SELECT 1 FROM post_search_stems")).toEqual([]);
  expect(await faults()).toEqual([]);
  await off.stop();
  const refused = await machine.run(["search", "rebuild"], OFF);
  expect(refused).toMatchObject({ exitCode: 1, notes: expect.stringContaining("switched off") });
  const on = await machine.serve();
  await untilReady(on);
  await expectFound(on, "ипотека", 60);
  await on.stop();
}, 60_000);

test("search rebuild rebuilds the index, and check reports what differs", async () => {
  await importPosts(1, 50);
  const db = machine.open();
  db.exec(`
    UPDATE posts SET text = 'дача 3' WHERE id = 3;
    UPDATE posts SET views = 5 WHERE id = 4;
    DELETE FROM post_search_1 WHERE rowid = (SELECT row FROM searched_posts WHERE post_id = 5)`);
  db.close();
  expect(await faults()).toEqual([
    "Posts in the index that are gone or have changed since: 4.",
    "Posts without tokens in the index: 5.",
    expect.stringMatching(/^Tokens that the index of 2024-01 has for other posts: \d+, such as /),
    expect.stringMatching(/^Tokens that the index of 2024-01 does not have: \d+, such as /),
  ]);
  const { exitCode, out } = await machine.run(["search", "rebuild"]);
  expect({ exitCode, out }).toEqual({ exitCode: 0, out: "50 posts are in the index.\n" });
  expect(await faults()).toEqual([]);
}, 60_000);
