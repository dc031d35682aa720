import type { Clock } from "../../../ports/clock.ts";
import { createMaxDemo, MAX_DEMO_TOKEN } from "../demo/max-demo.ts";
import { createTelegramDemo, telegramDemoToken } from "../demo/telegram-demo.ts";
import { max } from "../max/max.ts";
import type { BotKind } from "../sources.table.ts";
import { telegram } from "../telegram/telegram.ts";
import type { BotMessenger } from "./bot-messenger.ts";
import type { CallApi } from "./call-api.ts";

export const BOT_MESSENGERS: Record<BotKind, BotMessenger> = { telegram, max };

/** Fake messengers inside the program, and the tokens that their bots have. */
export const DEMO_MESSENGERS: Record<
  BotKind,
  { create(clock: Clock): CallApi; token(nowMs: number): string }
> = {
  telegram: { create: createTelegramDemo, token: telegramDemoToken },
  max: { create: createMaxDemo, token: () => MAX_DEMO_TOKEN },
};
