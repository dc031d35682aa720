import type { Database } from "../../db/database.ts";
import { withDeadline } from "../../db/with-deadline.ts";
import { BOT_RUN_MAX_MS } from "../../ports/own-work.ts";
import type { Ports } from "../../ports/ports.ts";
import { inEnglish, message } from "../../values/messages/messages.ts";
import type { SecretBox } from "../../values/secret-box.ts";
import { INTERRUPTED } from "../imports/reading/input.ts";
import type { BatchRun } from "./apply-batch.ts";
import type { BotSecret } from "./bot-messenger.ts";
import { orFailed } from "./file-tools.ts";
import type { SourceFile } from "./import-source-file.ts";
import type { createImportTurns } from "./import-turns.ts";
import type { createPushes } from "./max/pushes.ts";
import { failed, type Outcome } from "./outcome.ts";
import { type RunTools, runSource } from "./run-source.ts";
import type { SourceChanges } from "./source-changes.ts";
import { selectChats } from "./source-chats.store.ts";
import { selectDoneFiles } from "./sources.store.ts";
import { fileMaxMs, isBot, type Source } from "./sources.table.ts";

export interface RunOptions {
  mayWait: boolean;
  /** False to read only channels that changed. */
  isWhole: boolean;
  isAgain: boolean;
  /** Aborted when the run should stop. */
  signal: AbortSignal;
}

export interface RunSurroundings
  extends Pick<RunTools, "download" | "ask" | "files" | "storedPosts" | "isHandleTaken"> {
  /** Decrypts the headers of pulls and the tokens of bots. */
  secrets(): Promise<SecretBox>;
  /** @param signal interrupts the import */
  importFile(
    file: Omit<SourceFile, "messengerHosts" | "openDays" | "stop">,
    signal: AbortSignal,
  ): ReturnType<RunTools["importFile"]>;
  applyBatch(
    run: Pick<BatchRun, "id" | "owner" | "batch" | "position">,
  ): ReturnType<RunTools["apply"]>;
}

export interface RunParts extends Pick<Ports, "clock" | "log"> {
  db: Database;
  changes: SourceChanges;
  /** Where a bot's updates should be pushed. */
  pushes: Pick<ReturnType<typeof createPushes>, "of">;
  surroundings: RunSurroundings;
  turns: ReturnType<typeof createImportTurns>;
}

/** Shown for unexpected errors, whose cause would mean nothing to the operator; the log has it. */
const FAILED = message("importFailed");

/**
 * Runs a source that this process has claimed, and records how it ended. An interrupted run is not
 * recorded: it is released, to be repeated.
 */
export async function runClaimed(
  parts: RunParts,
  owner: string,
  source: Source,
  how: RunOptions,
): Promise<Outcome> {
  const { changes, log } = parts;
  const { id, name } = source;
  const outcome = await orFailed(() => outcomeOf(parts, owner, source, how)).catch((error) => {
    log.error({ err: error, source: name }, "a source could not be run");
    return failed(FAILED);
  });
  const { failure, failedFile: file } = outcome;
  if (failure !== null && failure.code !== INTERRUPTED.code) {
    log.warn({ source: name, file, reason: inEnglish(failure) }, "a source could not be read");
  }
  if (outcome.failure?.code === INTERRUPTED.code) await changes.releaseSource(id, owner);
  else await changes.endSource({ id, owner, ...outcome });
  return outcome;
}

async function outcomeOf(
  { db, changes, pushes, surroundings, turns, clock }: RunParts,
  owner: string,
  source: Source,
  { signal, ...how }: RunOptions,
): Promise<Outcome> {
  const { id, secret: sealed, settings, succeededAt } = source;
  const begunMs = clock.monotonic();
  const deadlineMs = isBot(settings) ? BOT_RUN_MAX_MS : fileMaxMs(settings);
  const limits = { deadlineMs, signal };
  const secret = sealed === null ? "{}" : (await surroundings.secrets()).open(sealed);
  if (secret === null) return failed(message(isBot(settings) ? "botSecret" : "sourceSecret"));
  const run = (signal: AbortSignal): Promise<Outcome> =>
    runSource(source, JSON.parse(secret) as Record<string, string>, {
      ...surroundings,
      ...how,
      signal,
      succeededAt,
      pushes: pushes.of(source, JSON.parse(secret) as BotSecret),
      sleep: (durationMs) => clock.sleep(durationMs, signal),
      download: (url, request) =>
        withDeadline(clock, limits, (signal) => surroundings.download(url, { ...request, signal })),
      importFile: (file) =>
        turns.take(id, limits, (signal, deadlineMs) =>
          surroundings.importFile({ ...file, id, owner, deadlineMs }, signal),
        ),
      apply: (batch, position) => surroundings.applyBatch({ id, owner, batch, position }),
      chats: () => selectChats(db, { sourceId: id }),
      doneFiles: () => selectDoneFiles(db, { sourceId: id }),
      fileDone: (file) => changes.fileDone({ id, owner }, file),
      nowMs: clock.now,
      elapsedMs: () => clock.monotonic() - begunMs,
    });
  // A folder may have any number of files, each with its own deadline.
  return isBot(settings) ? withDeadline(clock, limits, run) : run(signal);
}
