import type { Actor } from "../../customers/audit/audit-log.ts";
import { fieldError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Random } from "../../ports/ports.ts";
import { message } from "../../values/messages/messages.ts";
import type { SecretBox } from "../../values/secret-box.ts";
import type { BotMessenger, BotSecret } from "./bots/bot-messenger.ts";
import { BOT_MESSENGERS, DEMO_MESSENGERS } from "./bots/bots.ts";
import type { CallApi } from "./bots/call-api.ts";
import { readSourceAddress, type SourceAddress } from "./source-address.ts";
import type { SourceChanges } from "./source-changes.ts";
import { type BotKind, type FileSettings, isBot, type Source } from "./sources.table.ts";

export interface NewSettings {
  name: string;
  settings: FileSettings;
  headers: Record<string, string>;
  schedule: string;
}

export interface NewBot {
  kind: BotKind;
  /** Not needed for a demonstration. */
  token: string;
  /** Whether to read a fake messenger inside the program. */
  isDemo?: boolean;
  /** Empty for the bot's own name. */
  name: string;
  /** Empty for the messenger's own. */
  api: string;
  /** Empty for the messenger's default. */
  schedule: string;
}

const PUSH_SECRET_BYTES = 32;
const DEMO_SCHEDULE = "1m";

export interface AddingTools {
  ask: CallApi;
  /**
   * Whether an address may be contacted; true if that cannot be told now, as when its name does not
   * resolve.
   */
  allows(address: SourceAddress): Promise<boolean>;
  /** Encrypts and decrypts the headers of pulls and the tokens of bots. */
  secrets(): Promise<SecretBox>;
  random: Random;
  clock: Clock;
  /** Aborted when the process stops. */
  signal: AbortSignal;
}

/** Adds and removes sources, including the requests to their messengers. */
export function createSourceAdding(
  changes: Pick<SourceChanges, "addSource" | "removeSource">,
  { ask, allows, secrets, random, clock, signal }: AddingTools,
) {
  /** @throws AppError `invalid` on `url` or `api` */
  async function requireAllowed(field: "url" | "api", address: string): Promise<void> {
    const read = readSourceAddress(address);
    if ("fault" in read) throw fieldError({ [field]: [read.fault] });
    if (await allows(read.value)) return;
    const { host } = read.value.target;
    throw fieldError({ [field]: [message("sourceRefused", { host })] });
  }

  const newPushSecret = (): string => Buffer.from(random.bytes(PUSH_SECRET_BYTES)).toString("hex");

  return {
    /**
     * @param source.headers of a pull, sent with each request and never shown again
     * @throws AppError `invalid` by field
     */
    async add(source: NewSettings, by: Actor): Promise<Source> {
      const { name, settings, headers, schedule } = source;
      if (settings.kind === "pull") await requireAllowed("url", settings.url);
      const hasHeaders = Object.keys(headers).length > 0;
      const box = hasHeaders ? await secrets() : null;
      const secret = box === null ? null : box.seal(JSON.stringify(headers));
      return changes.addSource({ name, kind: settings.kind, settings, secret, schedule }, by);
    },

    /**
     * Asks the messenger whose token it is, and adds the bot.
     * @throws AppError `invalid` by field
     */
    async addBot({ kind, name, isDemo = false, ...given }: NewBot, by: Actor): Promise<Source> {
      const messenger = BOT_MESSENGERS[kind];
      const demo = isDemo ? DEMO_MESSENGERS[kind] : null;
      const token = demo?.token(clock.now()) ?? readToken(given.token, messenger);
      const own = demo === null ? given.api.trim().replace(/\/+$/, "") : "";
      const api = own || messenger.api;
      if (demo === null) await requireAllowed("api", api);
      const askIt = demo?.create(clock) ?? ask;
      const found = await messenger.nameOf({ kind, api, token }, askIt, signal);
      if ("failure" in found) throw fieldError({ token: [found.failure] });
      const { bot, position, chats } = found;
      const opened: BotSecret = kind === "max" ? { token, pushSecret: newPushSecret() } : { token };
      return changes.addSource(
        {
          name: name.trim() || bot,
          kind,
          settings: { kind, api, bot, ...(isDemo && { isDemo }) },
          position,
          chats,
          secret: (await secrets()).seal(JSON.stringify(opened)),
          schedule: given.schedule.trim() || (isDemo ? DEMO_SCHEDULE : messenger.schedule),
        },
        by,
      );
    },

    /** Removes a source, and ends what its messenger does for it. @throws AppError `not_found` */
    async removeSource(id: number, by: Actor): Promise<Source> {
      const removed = await changes.removeSource(id, by);
      const { settings, secret, position } = removed;
      const opened = secret === null ? null : (await secrets()).open(secret);
      if (!isBot(settings) || settings.isDemo || opened === null) return removed;
      const access = { ...settings, ...(JSON.parse(opened) as BotSecret) };
      // If the messenger cannot be reached, it stops pushing by itself, because nobody responds here.
      const messenger = BOT_MESSENGERS[settings.kind];
      await messenger.leave?.(access, position, ask, signal);
      return removed;
    },
  };
}

/** @throws AppError `invalid` on `token` */
function readToken(given: string, { token: format, tokenExample: example }: BotMessenger): string {
  const token = given.trim();
  if (token === "") throw fieldError({ token: [message("botTokenMissing")] });
  if (!format.test(token)) throw fieldError({ token: [message("botTokenShape", { example })] });
  return token;
}
