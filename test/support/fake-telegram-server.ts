import type { FakeAnswer } from "./fake-ports.ts";
import { createFakeTelegram, type FakeTelegram } from "./fake-telegram.ts";

/** The fake Telegram behind HTTP: it holds requests for updates up, and lets one ask at a time. */
export interface FakeTelegramServer extends FakeTelegram {
  /** Its address, for `--api`. */
  url: string;
  /** Requests for updates that were ended since another one came. */
  conflicts: number;
  /** So many of the next answers end in their middle; what was asked is done. */
  hangUps: number;
  stop(): Promise<void>;
}

const NO_UPDATES = '{"ok":true,"result":[]}';
const CONFLICT = {
  ...{ ok: false, error_code: 409 },
  description:
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
};

export function serveFakeTelegram(): FakeTelegramServer {
  const telegram = createFakeTelegram(Date.now);
  /** Number of the last request for updates, and those whose other side is gone. */
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
    if (!request.signal.aborted) fake.conflicts += 1;
    return { status: 409, body: JSON.stringify(CONFLICT) };
  }

  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 120 },
    async fetch(request) {
      const given = await answer(request);
      if ("fault" in given) return new Response(null, { status: 502 });
      const isCut = fake.hangUps > 0;
      if (isCut) fake.hangUps -= 1;
      const headers = { "content-type": "application/json" };
      const body = given.body ?? "";
      return new Response(isCut ? body.slice(0, body.length / 2) : body, {
        ...{ status: given.status, headers },
      });
    },
  });
  const fake: FakeTelegramServer = {
    ...telegram,
    ...{ url: `http://127.0.0.1:${server.port}`, conflicts: 0, hangUps: 0 },
    stop: () => server.stop(true),
  };
  return fake;
}
