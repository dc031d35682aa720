import type { Message } from "../../values/messages/messages.ts";
import type { AskApi } from "./ask-api.ts";
import type { Batch } from "./batch-rows.ts";
import type { BotSettings, SourceChat, SourcePosition } from "./sources.table.ts";

/** A bot with what lets it in. */
export interface BotAccess extends BotSettings {
  token: string;
}

/** A bot's secret, as it is sealed. */
export interface BotSecret {
  token: string;
  /** Sent by the messenger with each push; absent where the messenger pushes nothing. */
  pushSecret?: string;
}

/** The address that a messenger pushes a source's updates to, and the secret that it sends along. */
export interface Pushes {
  url: string;
  secret: string;
}

/** Surroundings of a bot's run. */
export interface BotTools {
  ask: AskApi;
  /**
   * Writes a batch together with how far the source was read.
   * @param position null: as far as before
   * @returns false, with nothing written, where the source is another process's by now, or gone
   * @throws AppError `unavailable`, without how far it was read, where it cannot be written now
   */
  apply(batch: Batch, position: SourcePosition | null): Promise<boolean>;
  /** Channels that the bot was added to. */
  chats(): Promise<SourceChat[]>;
  /** Epoch milliseconds. */
  nowMs(): number;
  /** Milliseconds since the run began. */
  elapsedMs(): number;
  /** When the source was read the last time; null: never. */
  succeededAt: number | null;
  /** Whether the run may wait for what is still to come. */
  mayWait: boolean;
  /** False: only channels that changed are to be read, as pushes told. */
  isWhole: boolean;
  /** The address that the messenger is to push updates to; null where they are asked for. */
  pushes: Pushes | null;
  /** Numbers of a channel's stored posts that were published in a span, in digits. */
  storedPosts(chat: string, span: { from: number; to: number }): Promise<string[]>;
  /** Whether a handle is that of a channel with another number at its messenger. */
  isHandleTaken(chat: string, handle: string): Promise<boolean>;
  sleep(durationMs: number): Promise<void>;
  /** Aborted where the run is to stop. */
  signal: AbortSignal;
}

/** How a bot's run ended; without a failure all was read. */
export interface BotEnd {
  failure: Message | null;
  retryAfterMs: number | null;
  /** How far it was read, where that was not written with a batch. */
  position?: SourcePosition | null;
}

export const ALL_READ: BotEnd = { failure: null, retryAfterMs: null };

interface BotFound {
  bot: string;
  position?: SourcePosition;
  chats?: readonly SourceChat[];
}

/** A messenger whose bots are sources. */
export interface BotMessenger {
  name: string;
  /** Address of its API, unless somebody names another. */
  api: string;
  /** How often it is read, unless somebody says otherwise. */
  schedule: string;
  /** Tokens that may be sent; anything else would be another address. */
  token: RegExp;
  tokenExample: string;
  /** Asks the messenger for the bot's name, and for what is to be known of it from the beginning on. */
  nameOf(
    access: Omit<BotAccess, "bot">,
    ask: AskApi,
    signal: AbortSignal,
  ): Promise<BotFound | { failure: Message }>;
  /** Reads once what is new. @throws AppError as `BotTools.apply` */
  run(access: BotAccess, position: SourcePosition, tools: BotTools): Promise<BotEnd>;
  /** Has the messenger do no more for a bot whose source was removed. */
  leave?(
    access: BotAccess,
    position: SourcePosition,
    ask: AskApi,
    signal: AbortSignal,
  ): Promise<unknown>;
}
