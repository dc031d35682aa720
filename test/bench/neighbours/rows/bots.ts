import { createFakeMax } from "../../../support/fake-max.ts";
import { createFakeTelegram, TELEGRAM_TOKEN } from "../../../support/fake-telegram.ts";
import { elapsed } from "../../../support/webhook-journey.ts";
import type { Beside, Row, Stage } from "../row.ts";

/** Longest texts, in Cyrillic letters: 64 KiB for Telegram, 8 KiB for MAX. */
const LETTERS = { telegram: 32_768, max: 4_000 };
/** Posts per round, more than can be read in it. */
const POSTS = { telegram: 1_500, max: 4_000 };
/** Longest time that a transaction may hold the lock, as a bucket of the metric. */
const HOLD_MAX = "0.05";

const WORDS = "погода город праздник скидка новости вечер утро река мост школа ремонт дорога".split(
  " ",
);

/** Words in a different order for each post, some of which no other post has. */
function textOf(post: number, letters: number): string {
  let text = `${post}`;
  for (let at = 1; text.length < letters; at++) {
    text += ` ${WORDS[(at * post + at) % WORDS.length]}${at % 8 === 0 ? (at * post) % 3_001 : ""}`;
  }
  return text.slice(0, letters);
}

interface FakeMessenger {
  kind: "telegram" | "max";
  token: string;
  answer(request: Request): Response | Promise<Response>;
  addChannel(): void;
  post(text: string): void;
}

function fakeTelegram(): FakeMessenger {
  const telegram = createFakeTelegram(Date.now);
  let channel = 0;
  return {
    ...{ kind: "telegram", token: TELEGRAM_TOKEN },
    async answer(request) {
      const given = await telegram.answerGet(request.url);
      if ("fault" in given) return new Response(null, { status: 502 });
      return new Response(given.body ?? "", { status: given.status });
    },
    addChannel() {
      channel = telegram.addChannel();
    },
    post: (text) => void telegram.post(channel, text),
  };
}

/** How long ago the first post of a round was published; each next one a millisecond later. */
const SINCE_MS = 10_000;

function fakeMax(): FakeMessenger {
  let lastAt = 0;
  // MAX shows only the first page of posts that were published in the same millisecond.
  const max = createFakeMax(() => {
    lastAt = Math.max(lastAt + 1, Date.now() - SINCE_MS);
    return lastAt;
  });
  const id = -70_000_000_000_001n;
  return {
    ...{ kind: "max", token: max.token },
    answer: (request) => max.answer(request),
    addChannel: () => void max.addChannel({ id, title: "Канал" }),
    post: (text) => void max.post(id, text),
  };
}

/** How many transactions of bots held the lock, and how many of them too long. */
async function holds({ serving }: Stage): Promise<{ all: number; long: number }> {
  const text = await (await serving.get("/metrics")).text();
  const count = (bound: string): number => {
    const lines = text.split("\n").filter((line) => {
      return (
        line.startsWith("kanalog_write_lock_seconds_bucket{") && line.includes('"source-batch"')
      );
    });
    const found = lines.find((line) => line.includes(`le="${bound}"`));
    return Number(found?.split(" ").at(-1) ?? 0);
  };
  const all = count("+Inf");
  return { all, long: all - count(HOLD_MAX) };
}

const countPosts = ({ machine }: Stage): number =>
  machine.query<{ posts: number }>("SELECT count(*) AS posts FROM posts")[0]?.posts ?? 0;

/** The serving process reads a bot automatically, which has many new posts in each round. */
function botRow(name: "telegram" | "max", createFake: () => FakeMessenger): Row {
  const fake = createFake();
  return {
    name,
    does: `is a bot of ${name === "max" ? "MAX" : "Telegram"} with ${POSTS[name]} posts of the greatest length`,
    environment: { KANALOG_SOURCE_ALLOW: "127.0.0.0/8" },
    async prepare({ machine }) {
      const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: fake.answer });
      // The bench must end after its last row, although this server still listens.
      server.unref();
      const words = ["source", "add", name, "--token", "-", "--every", "31d"];
      const environment = { KANALOG_SOURCE_ALLOW: "127.0.0.0/8" };
      const added = await machine.run([...words, "--api", `http://127.0.0.1:${server.port}`], {
        ...{ environment, stdin: `${fake.token}\n` },
      });
      if (added.exitCode !== 0) throw new Error(added.notes);
      fake.addChannel();
    },
    async beforeRound(_, round) {
      for (let at = 0; at < POSTS[name]; at++) {
        fake.post(textOf(round * POSTS[name] + at + 1, LETTERS[name]));
      }
    },
    async beside(stage, seconds): Promise<Beside> {
      const [posts, before] = [countPosts(stage), await holds(stage)];
      const db = stage.machine.open();
      db.exec("UPDATE sources SET is_asked = 1");
      db.close();
      await elapsed(seconds * 1000);
      const [state] = stage.machine.query<{ failures: number; failure: string }>(
        "SELECT failures, failure FROM sources",
      );
      const after = await holds(stage);
      const long = after.long - before.long;
      const read = countPosts(stage) - posts;
      return {
        notes: [`${read} posts, ${after.all - before.all} transactions, ${long} longer than 50 ms`],
        broken: [
          ...(state?.failures === 0 ? [] : [`the source failed: ${state?.failure}`]),
          ...(read > 0 ? [] : ["no post was read"]),
        ],
      };
    },
  };
}

export const botRows: Row[] = [botRow("telegram", fakeTelegram), botRow("max", fakeMax)];
