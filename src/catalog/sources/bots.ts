import type { BotMessenger } from "./bot-messenger.ts";
import { max } from "./max/max.ts";
import type { BotKind } from "./sources.table.ts";
import { telegram } from "./telegram/telegram.ts";

export const BOT_MESSENGERS: Record<BotKind, BotMessenger> = { telegram, max };
