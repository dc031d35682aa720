import type { BotMessenger } from "../bot-messenger.ts";
import { runTelegram } from "./run-telegram.ts";
import { createTelegramApi } from "./telegram-api.ts";

/** Telegram, through its Bot API 10 (sources, section 3). */
export const telegram: BotMessenger = {
  name: "Telegram",
  api: "https://api.telegram.org",
  schedule: "1m",
  token: /^\d{1,20}:[\w-]{1,200}$/,
  tokenExample: "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
  async nameOf(access, ask, signal) {
    const me = await createTelegramApi(access, ask, signal).me();
    return "failure" in me ? me : { bot: `@${me.result}` };
  },
  run: runTelegram,
};
