import type { Message } from "../../../values/messages/messages.ts";
import { INTERRUPTED } from "../../imports/reading/input.ts";
import { type ImportSummary, sumOf } from "../../imports/writing/import-summary.ts";
import { NOTHING, type Outcome } from "../source-run-changes.ts";
import type { BotSettings, SourceChat, SourcePosition } from "../sources.table.ts";
import type { Batch } from "./batch-writer.ts";
import { type CallApi, createTryAgain, ONCE, type TryAgain } from "./call-api.ts";

export interface BotAccess extends BotSettings {
  token: string;
}

/** Stored encrypted. */
export interface BotSecret {
  token: string;
  /** Included by the messenger in each push; absent if it pushes nothing. */
  pushSecret?: string;
}

/** The address to which a messenger pushes a source's updates, and the secret it sends with them. */
export interface Pushes {
  url: string;
  secret: string;
}

/** Access that a messenger gets to run a bot. */
export interface BotTools {
  ask: CallApi;
  /** Repeats calls after faults that may pass, while the run may wait. */
  tryAgain: TryAgain;
  /**
   * Writes a batch together with the source's position.
   * @param position null to keep the present one
   * @returns false, with nothing written, if another process holds the source by now, or it is gone
   * @throws AppError `unavailable`, without storing the position, if it cannot be written now
   */
  apply(batch: Batch, position: SourcePosition | null): Promise<boolean>;
  chats(): Promise<SourceChat[]>;
  nowMs(): number;
  elapsedMs(): number;
  /** When the source last succeeded; null for never. */
  succeededAt: number | null;
  /** Whether the run may wait for further updates. */
  mayWait: boolean;
  /** False to read only channels that pushes reported as changed. */
  isWhole: boolean;
  /** Where the messenger should push updates; null if they are polled. */
  pushes: Pushes | null;
  /** Messenger ids, in digits, of a channel's stored posts that were published in a span of time. */
  storedPosts(chat: string, span: { from: number; to: number }): Promise<string[]>;
  /** Whether the handle belongs to a channel with another messenger id. */
  isHandleTaken(chat: string, handle: string): Promise<boolean>;
  sleep(durationMs: number): Promise<void>;
  /** Aborted when the run should stop. */
  signal: AbortSignal;
}

/**
 * Outcome of a bot's run. Without a failure everything was read, unless the run was aborted or lost the
 * source to another process, which the caller checks.
 */
export interface BotEnd {
  failure: Message | null;
  retryAfterMs: number | null;
  /** New position, unless it was written with a batch; null to keep the present one. */
  position?: SourcePosition | null;
}

export const ALL_READ: BotEnd = { failure: null, retryAfterMs: null };

interface BotFound {
  bot: string;
  position?: SourcePosition;
  chats?: readonly SourceChat[];
}

export interface BotMessenger {
  name: string;
  api: string;
  schedule: string;
  /** Format of tokens; any other text could change the URL. */
  token: RegExp;
  tokenExample: string;
  /** Asks the messenger for the bot's name, and for the position and channels to start with. */
  nameOf(
    access: Omit<BotAccess, "bot">,
    ask: CallApi,
    signal: AbortSignal,
  ): Promise<BotFound | { failure: Message }>;
  /** Reads what is new, once. @throws AppError as `BotTools.apply` */
  run(access: BotAccess, position: SourcePosition, tools: BotTools): Promise<BotEnd>;
  /** Ends what the messenger does for a removed source, such as pushing updates; ignores faults. */
  leave?(
    access: BotAccess,
    position: SourcePosition,
    ask: CallApi,
    signal: AbortSignal,
  ): Promise<unknown>;
}

/** `BotTools` but for those made here, with an `apply` that returns what was written. */
export interface BotRunTools extends Omit<BotTools, "apply" | "tryAgain"> {
  /** @returns null if another process holds the source by now, or it is gone */
  apply(batch: Batch, position: SourcePosition | null): Promise<ImportSummary | null>;
}

/** @throws AppError as `BotTools.apply` */
export async function runBot(
  messenger: BotMessenger,
  access: BotAccess,
  position: SourcePosition,
  tools: BotRunTools,
): Promise<Outcome> {
  let summary: ImportSummary | null = null;
  const end = await messenger.run(access, position, {
    ...tools,
    tryAgain: tools.mayWait ? createTryAgain(tools) : ONCE,
    async apply(batch, at) {
      const written = await tools.apply(batch, at);
      if (written === null) return false;
      if (written.read > 0) summary = sumOf(summary, written);
      return true;
    },
  });
  const outcome = { ...NOTHING, ...end, summary };
  return tools.signal.aborted ? { ...outcome, failure: INTERRUPTED } : outcome;
}
