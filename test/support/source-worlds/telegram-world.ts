import { expect } from "bun:test";
import type { FakeAnswer } from "../fake-ports.ts";
import { createFakeTelegram, PHOTO, TELEGRAM_TOKEN } from "../fake-telegram.ts";
import { serveTroubled } from "../troubled-server.ts";
import { hasRequested, SOURCE_ENVIRONMENT, type SourceWorld } from "./source-world.ts";

const NO_UPDATES = '{"ok":true,"result":[]}';
const CONFLICT = {
  ...{ ok: false, error_code: 409 },
  description:
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
};

/** A bot at Telegram, which holds requests for updates and admits one reader at a time. */
export function createTelegramWorld(): SourceWorld {
  const telegram = createFakeTelegram(Date.now);
  const channels = [1, 2, 3].map((number) => ({
    ...{ id: -1_001_000_000_000 - number, username: `channel_${number}` },
    title: `Channel ${number}`,
  }));
  const posts: [channel: number, number: number][] = [];
  let albums = 0;
  /** Number of the latest request for updates. */
  let newest = 0;

  async function answer(request: Request): Promise<FakeAnswer> {
    const first = telegram.answerGet(request.url);
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.endsWith("/getUpdates")) return first;
    newest += 1;
    const own = newest;
    if (!("body" in first) || first.body !== NO_UPDATES) return first;
    await telegram.waited(Number(searchParams.get("timeout") ?? 0) * 1000);
    if (own === newest) return telegram.answerGet(request.url);
    return { status: 409, body: JSON.stringify(CONFLICT) };
  }

  const server = serveTroubled(async (request) => {
    const given = await answer(request);
    if ("fault" in given) return new Response(null, { status: 502 });
    const headers = { "content-type": "application/json" };
    return new Response(given.body ?? "", { status: given.status, headers });
  });

  const addition = {
    name: "@kanalog_bot",
    words: ["source", "add", "telegram", "--token", "-", "--api", server.url],
    stdin: `${TELEGRAM_TOKEN}\n`,
    path: "/staff/sources/telegram/",
    fields: { token: TELEGRAM_TOKEN, api: server.url },
    button: "Test the token and add the bot",
  };
  const world: SourceWorld = {
    server,

    additions: [addition],

    async add(machine) {
      const { words, stdin, name } = addition;
      const added = await machine.run(words, { environment: SOURCE_ENVIRONMENT, stdin });
      expect(added).toMatchObject({ exitCode: 0, out: expect.stringContaining(name) });
      expect(added.out + added.notes).not.toContain(TELEGRAM_TOKEN);
      world.join?.();
    },

    join() {
      for (const channel of channels) telegram.addChannel(channel);
    },

    happen(chance) {
      const channel = channels[chance(channels.length)]?.id ?? 0;
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
      else if (what === 57) server.hangUps += 1;
      else if (what === 58) {
        const description = "Too Many Requests: retry after 0";
        telegram.fail("getUpdates", { status: 429, description, retryAfter: 0 });
      } else if (what === 59) {
        telegram.fail("getChat", { status: 502, text: "<html>Bad Gateway</html>" });
      }
    },

    calm() {
      server.hangUps = 0;
      telegram.faults.clear();
    },

    /** An album counts as one post. */
    wanted() {
      const found = new Map<string, { key: string; texts: string[] }>();
      for (const one of telegram.messages.values()) {
        const { message_id, chat, text, caption, media_group_id: album } = one;
        if (one.new_chat_title !== undefined) continue;
        const key = `${String(chat.id).replace("-100", "")} ${message_id}`;
        const post = found.get(album ?? key) ?? { key, texts: [] };
        post.texts.push(text ?? caption ?? "");
        found.set(album ?? key, post);
      }
      const texts = [...found.values()].map(
        ({ key, texts }) => [key, texts.filter((one) => one !== "").join("\n\n")] as const,
      );
      return new Map(texts);
    },

    isAmid: (chance) => hasRequested(server, chance(6)),
  };
  return world;
}
