import { afterEach, beforeEach, expect, test } from "bun:test";
import { PHOTO, TELEGRAM_TOKEN } from "../support/fake-telegram.ts";
import { type FakeTelegramServer, serveFakeTelegram } from "../support/fake-telegram-server.ts";
import { createMachine, faultsOf, type Machine, until } from "../support/machine.ts";
import { seededRandom } from "../support/webhook-journey.ts";

/** A bot at Telegram read by real processes, which are killed at any moment (sources, sections 3 and 5). */

/** More in a campaign of its own: `bun run test:sources`. */
const KILLS = Number(process.env["KANALOG_TEST_KILLS"] ?? 1);
const SEED = Number(process.env["KANALOG_TEST_SEED"] ?? Math.floor(Math.random() * 1e9));

const environment = { KANALOG_SOURCE_ALLOW: "127.0.0.0/8" };

let machine: Machine;
let telegram: FakeTelegramServer;
beforeEach(() => {
  machine = createMachine();
  telegram = serveFakeTelegram();
});
afterEach(async () => {
  await telegram.stop();
  await machine.leave();
});

async function addBot(): Promise<void> {
  const words = ["source", "add", "telegram", "--token", "-", "--api", telegram.url];
  const added = await machine.run(words, { environment, stdin: `${TELEGRAM_TOKEN}\n` });
  expect(added).toMatchObject({ exitCode: 0, out: expect.stringContaining("@kanalog_bot") });
  expect(added.out + added.notes).not.toContain(TELEGRAM_TOKEN.slice(-20));
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

/** Posts as they are to be, by their channel and number: albums are one. */
function wanted(): Map<string, string> {
  const found = new Map<string, { key: string; texts: string[] }>();
  for (const {
    message_id,
    chat,
    text,
    caption,
    media_group_id: album,
    new_chat_title: note,
  } of telegram.messages.values()) {
    if (note !== undefined) continue;
    const channel = String(chat.id).replace("-100", "");
    const key = `${channel} ${message_id}`;
    const post = found.get(album ?? key) ?? { key, texts: [] };
    post.texts.push(text ?? caption ?? "");
    found.set(album ?? key, post);
  }
  return new Map(
    [...found.values()].map(({ key, texts }) => [
      key,
      texts.filter((one) => one !== "").join("\n\n"),
    ]),
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

test(
  "killed at any moment, each post of the messenger is there once, with its last text",
  async () => {
    console.info(`${KILLS} kills (KANALOG_TEST_KILLS), seed ${SEED} (KANALOG_TEST_SEED)`);
    const random = seededRandom(SEED);
    const chance = (below: number): number => Math.floor(random() * below);
    await addBot();
    const channels = [1, 2, 3].map((number) =>
      telegram.addChannel({
        ...{ id: -1_001_000_000_000 - number, username: `channel_${number}` },
        title: `Channel ${number}`,
      }),
    );
    const posts: [channel: number, number: number][] = [];
    let albums = 0;

    /** Something that happens at the messenger, and now and then goes wrong there. */
    function happen(): void {
      const channel = channels[chance(channels.length)] ?? 0;
      const [edited, number] = posts[chance(posts.length)] ?? [0, 0];
      const what = chance(60);
      if (what < 27) posts.push([channel, telegram.post(channel, `post ${posts.length}`)]);
      else if (what < 45 && number > 0) {
        telegram.edit(edited, number, { text: `edit ${chance(1e6)}` });
      } else if (what < 52) {
        albums += 1;
        const album = String(13_000_000_000 + albums);
        const [first = 0] = telegram.album(channel, [`album ${albums}`, "", "second"], album);
        telegram.edit(channel, first, { ...PHOTO, caption: `album edit ${chance(1e6)}` });
      } else if (what < 57) telegram.rename(channel, { title: `Renamed ${chance(1e6)}` });
      else if (what === 57) telegram.hangUps += 1;
      else if (what === 58) {
        const description = "Too Many Requests: retry after 0";
        telegram.fail("getUpdates", { status: 429, description, retryAfter: 0 });
      } else if (what === 59) {
        telegram.fail("getChat", { status: 502, text: "<html>Bad Gateway</html>" });
      }
    }

    for (let kill = 1; kill <= KILLS; kill++) {
      ask();
      const server = await machine.serve(["serve"], { environment });
      const from = telegram.calls.length;
      for (let count = chance(120); count > 0; count--) happen();
      const answers = chance(6);
      await until(() => {
        const calls = telegram.calls.length - from;
        return calls > answers || (calls > 0 && source()?.owner === null);
      });
      for (let count = chance(10); count > 0; count--) happen();
      await Bun.sleep(chance(30));
      process.kill(server.pid, "SIGKILL");
      await server.stop();
    }

    telegram.hangUps = 0;
    telegram.faults.clear();
    const server = await machine.serve(["serve"], { environment });
    await until(() => {
      if (source()?.owner === null) ask();
      return isAllRead();
    });
    await server.stop();
    expect(stored()).toEqual(wanted());
    expect(telegram.conflicts).toBe(0);
    expect(faultsOf(machine.database)).toEqual([]);
    console.info(`${wanted().size} posts, ${albums} of them albums, over ${KILLS} kills`);
  },
  120_000 + 15_000 * KILLS,
);

test("a wrong token, or one among the words of the command, is told in a line, and nothing is made", async () => {
  const words = ["source", "add", "telegram", "--api", telegram.url, "--token"];
  const wrong = await machine.run([...words, "-"], { environment, stdin: "110201543:AAwrong\n" });
  expect(wrong).toMatchObject({
    ...{ exitCode: 2, out: "" },
    notes: expect.stringMatching(/\ntoken: The messenger does not know this token\..*\n$/),
  });
  const shown = await machine.run([...words, TELEGRAM_TOKEN], { environment });
  expect(shown).toMatchObject({ exitCode: 2, out: "" });
  expect(shown.notes).not.toContain(TELEGRAM_TOKEN.slice(-20));
  expect(machine.query("SELECT * FROM sources")).toEqual([]);
});

test("of two processes on one database, one reads the bot", async () => {
  await addBot();
  const channel = telegram.addChannel();
  const servers = [
    await machine.serve(["serve"], { environment }),
    await machine.serve(["serve"], { environment }),
  ];
  await until(() => source()?.owner !== null);
  for (let number = 1; number <= 50; number++) {
    telegram.post(channel, `post ${number}`);
    await until(() => stored().size === number);
  }
  for (const server of servers) expect(await server.stop()).toBe(0);
  expect(telegram.conflicts).toBe(0);
  const days = machine.query<{ rows: number }>("SELECT rows FROM source_days");
  expect(days).toEqual([{ rows: 51 }]);
});

test("stopped while it waits for posts, the process ends at once, and the next one reads on", async () => {
  await addBot();
  const channel = telegram.addChannel();
  const first = await machine.serve(["serve"], { environment });
  await until(() => machine.query("SELECT 1 FROM source_chats").length === 1);
  expect(await first.stop()).toBe(0);
  expect(source()).toEqual({ owner: null, failures: 0 });
  telegram.post(channel, "meanwhile");
  const second = await machine.serve(["serve"], { environment });
  await until(isAllRead);
  expect(await second.stop()).toBe(0);
});
