import { afterEach, beforeEach, expect, test } from "bun:test";
import { createFakeMax, type FakeMax, postIdOf, refuse } from "../support/fake-max.ts";
import { createMachine, faultsOf, type Machine, type Serving, until } from "../support/machine.ts";
import { seededRandom } from "../support/webhook-journey.ts";

/** A bot at MAX read by real processes, which are killed at any moment (sources, sections 4 and 5). */

/** More in a campaign of its own: `bun run test:sources`. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Math.floor(Math.random() * 1e9));

const environment = {
  KANALOG_SOURCE_ALLOW: "127.0.0.0/8",
  KANALOG_BASE_URL: "https://catalog.example.com",
};
const CHANNELS = [-9_007_199_254_740_993n, -9_007_199_254_740_995n, -70_000_000_000_001n];

let machine: Machine;
let max: FakeMax;
/** Answers that break off: the connection ends in their middle. */
let hangUps: number;
let server: Bun.Server<undefined>;
beforeEach(() => {
  machine = createMachine();
  max = createFakeMax(Date.now);
  hangUps = 0;
  server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    async fetch(request) {
      const answer = await max.answer(request);
      if (hangUps === 0) return answer;
      hangUps -= 1;
      const text = await answer.text();
      const { status, headers } = answer;
      return new Response(text.slice(0, text.length / 2), { status, headers });
    },
  });
});
afterEach(async () => {
  await server.stop(true);
  await machine.leave();
});

async function addBot(): Promise<void> {
  const api = `http://127.0.0.1:${server.port}`;
  const words = ["source", "add", "max", "--token", "-", "--api", api];
  const added = await machine.run(words, { environment, stdin: `${max.token}\n` });
  expect(added).toMatchObject({ exitCode: 0, out: expect.stringContaining("catalog_bot") });
  expect(added.out + added.notes).not.toContain(max.token);
}

/** Has the source run at once: after some kills it would wait. */
function ask(): void {
  const db = machine.open();
  db.exec("UPDATE sources SET is_asked = 1");
  db.close();
}

const source = () =>
  machine.query<{ owner: string | null; failures: number }>(
    "SELECT owner, failures FROM sources",
  )[0];

/** Posts as they are to be, by their channel and number. */
function wanted(): Map<string, string> {
  return new Map(
    [...max.channels.values()].flatMap(({ id, posts }) =>
      [...posts.values()].map(({ mid, text }) => [`${id} ${postIdOf(mid)}`, text ?? ""] as const),
    ),
  );
}

function stored(): Map<string, string> {
  const rows = machine.query<{ key: string; text: string }>(
    `SELECT k.msgr_id || ' ' || p.msgr_post_id AS key, p.text
     FROM posts p JOIN channel_cards k ON k.id = p.channel_id`,
  );
  const posts = new Map(rows.map(({ key, text }) => [key, text]));
  expect(posts.size).toBe(rows.length);
  return posts;
}

const isAllRead = () => {
  const [is, should] = [stored(), wanted()];
  return is.size === should.size && [...should].every(([key, text]) => is.get(key) === text);
};

/** Delivers what MAX pushes; what is not taken is kept, as MAX does, and some come twice or late. */
async function deliver({ address }: Serving, chance: (below: number) => number): Promise<void> {
  const waiting = max.pushes.splice(0);
  for (const push of chance(2) === 0 ? waiting.toReversed() : waiting) {
    const path = new URL(push.url).pathname;
    const answer = await fetch(address + path, {
      ...{ method: "POST", body: push.body },
      headers: { "content-type": "application/json", "x-max-bot-api-secret": push.secret },
    }).catch(() => null);
    if (answer?.status !== 200 || chance(8) === 0) max.pushes.push(push);
  }
}

test(
  "killed at any moment, each post of the messenger is there once, with its last text",
  async () => {
    console.info(`${KILLS} kills (KANALOG_TEST_KILLS), seed ${SEED} (KANALOG_TEST_SEED)`);
    const random = seededRandom(SEED);
    const chance = (below: number): number => Math.floor(random() * below);
    await addBot();
    for (const id of CHANNELS) max.addChannel({ id, title: `Channel ${id}` });
    const mids: string[] = [];
    let removed = 0;

    /** Something that happens at the messenger, and now and then goes wrong there. */
    function happen(): void {
      const channel = CHANNELS[chance(CHANNELS.length)] ?? 0n;
      const at = chance(mids.length);
      const mid = mids[at];
      const what = chance(60);
      if (what < 30) mids.push(max.post(channel, `post ${mids.length}`));
      else if (what < 48 && mid !== undefined) max.edit(mid, `edit ${chance(1e6)}`);
      else if (what < 54 && mid !== undefined) {
        max.remove(mid);
        mids.splice(at, 1);
        removed += 1;
      } else if (what === 57) hangUps += 1;
      else if (what === 58) {
        max.disturb = once(() => refuse(429, "too.many.requests", "Slow", { "retry-after": "0" }));
      } else if (what === 59) {
        max.disturb = once(() => new Response("<html>Bad Gateway</html>", { status: 502 }));
      }
    }

    function once(answer: () => Response): FakeMax["disturb"] {
      return () => {
        max.disturb = () => undefined;
        return answer();
      };
    }

    for (let kill = 1; kill <= KILLS; kill++) {
      // Pushed from the middle on.
      if (kill === Math.ceil(KILLS / 2)) {
        const words = ["source", "pushes", "catalog_bot", "on"];
        expect(await machine.run(words, { environment })).toMatchObject({ exitCode: 0 });
      }
      ask();
      const serving = await machine.serve(["serve"], { environment });
      const from = max.requests.length;
      for (let count = chance(120); count > 0; count--) happen();
      const answers = chance(12);
      await until(() => {
        const requests = max.requests.length - from;
        return requests > answers || (requests > 0 && source()?.owner === null);
      });
      for (let count = chance(10); count > 0; count--) happen();
      await Promise.race([deliver(serving, chance), Bun.sleep(chance(60))]);
      process.kill(serving.pid, "SIGKILL");
      await serving.stop();
    }

    hangUps = 0;
    max.disturb = () => undefined;
    const serving = await machine.serve(["serve"], { environment });
    await deliver(serving, () => 1);
    await until(() => {
      if (source()?.owner === null) ask();
      return isAllRead();
    });
    expect(await serving.stop()).toBe(0);
    expect(stored()).toEqual(wanted());
    expect(faultsOf(machine.database)).toEqual([]);
    console.info(`${wanted().size} posts, ${removed} removed, over ${KILLS} kills`);
  },
  120_000 + 15_000 * KILLS,
);

test("of two processes on one database, one reads the bot, and either takes a push", async () => {
  await addBot();
  const channel = max.addChannel({ id: -70_000_000_000_001n, title: "Новости" }).id;
  expect(
    await machine.run(["source", "pushes", "catalog_bot", "on"], { environment }),
  ).toMatchObject({ exitCode: 0 });
  const servers = [
    await machine.serve(["serve"], { environment }),
    await machine.serve(["serve"], { environment }),
  ];
  await until(() => max.subscriptions.length === 1);
  for (const [at, serving] of servers.entries()) {
    max.post(channel, `post ${at}`);
    await deliver(serving, () => 1);
    await until(isAllRead);
  }
  for (const serving of servers) expect(await serving.stop()).toBe(0);
});
