import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../db/database.ts";
import { withDeadline } from "../../db/deadline.ts";
import { BOT_RUN_MAX_MS } from "../../ports/own-work.ts";
import type { Ports } from "../../ports/ports.ts";
import { inEnglish, type Message, message } from "../../values/messages/messages.ts";
import type { SecretBox } from "../../values/secret-box.ts";
import { INTERRUPTED } from "../imports/reading/input.ts";
import { sumOf } from "../imports/writing/import-summary.ts";
import type { BatchRun } from "./batch-writer.ts";
import { type BotRunTools, type BotSecret, runBot } from "./bot-messenger.ts";
import { BOT_MESSENGERS } from "./bots.ts";
import { type FileTools, importOne, orFailed, pullFile } from "./download-file.ts";
import type { SourceFile } from "./import-source-file.ts";
import type { createImportTurns } from "./import-turns.ts";
import type { createPushes } from "./max/pushes.ts";
import { failed, NOTHING, type Outcome } from "./outcome.ts";
import type { createRunsUnderWay } from "./runs-under-way.ts";
import type { SourceChanges } from "./source-changes.ts";
import { selectChats } from "./source-chats.store.ts";
import { type DoneFile, selectDoneFiles, selectSource } from "./sources.store.ts";
import { type FileOptions, fileMaxMs, isBot, type Source } from "./sources.table.ts";

interface RunTools extends BotRunTools, FileTools {}

/**
 * Runs a source once. Faults of the other side or its file become outcomes; faults of this machine are
 * thrown.
 * @param secret decrypted: the headers of a pull, or the token of a bot
 */
async function runSource(
  { settings, position }: Source,
  secret: Record<string, string>,
  tools: RunTools,
): Promise<Outcome> {
  if (isBot(settings)) {
    const { token = "" } = secret;
    const messenger = BOT_MESSENGERS[settings.kind];
    return orFailed(() => runBot(messenger, { ...settings, token }, position, tools));
  }
  return orFailed(() =>
    settings.kind === "pull"
      ? pullFile(settings, position, secret, tools)
      : readFolder(settings, tools),
  );
}

/** A younger file may still be being written. */
const SETTLED_MS = 10_000;

/** Reads each new or changed file once, in the order of their names. */
async function readFolder(
  { folder, ...options }: { folder: string } & FileOptions,
  tools: FileTools,
): Promise<Outcome> {
  const doneFiles = tools.isAgain ? [] : await tools.doneFiles();
  const done = new Map(doneFiles.map((file) => [file.name, file]));
  const listed = await folderFiles(folder);
  if ("failure" in listed) return failed(listed.failure);
  let outcome = NOTHING;
  for (const { path, ...file } of listed.files) {
    const known = done.get(file.name);
    if (known?.bytes === file.bytes && known.modifiedAt === file.modifiedAt) continue;
    // A time further in the future comes from another clock, and is not waited for.
    if (Math.abs(tools.nowMs() - file.modifiedAt) < SETTLED_MS) {
      // Later files wait too, to keep the order.
      return { ...outcome, unsettled: file.name, retryAfterMs: SETTLED_MS };
    }
    if (tools.signal.aborted) return { ...outcome, failure: INTERRUPTED };
    const imported = await importOne(tools, { path, name: file.name, options });
    const summary =
      imported.summary === null ? outcome.summary : sumOf(outcome.summary, imported.summary);
    const rows = outcome.rows + imported.rows;
    if (imported.failure !== null) {
      // Later files wait, since they may depend on it.
      return { ...outcome, summary, rows, failure: imported.failure, failedFile: file.name };
    }
    // Recorded as it was before the import: if it was written to meanwhile, it differs and is read again.
    await tools.fileDone(file);
    const lagMs = Math.max(0, tools.nowMs() - file.modifiedAt);
    outcome = { ...outcome, summary, rows, position: { lagMs } };
  }
  return outcome;
}

/** Names of incomplete files: hidden ones, and those that copy programs rename when they finish. */
const UNFINISHED = /^\.|\.(part|partial|tmp|filepart)$/i;

/** Files of a folder, in the order of their names, without links and subfolders. */
async function folderFiles(
  folder: string,
): Promise<{ files: (DoneFile & { path: string })[] } | { failure: Message }> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => !UNFINISHED.test(name)).sort();
  } catch {
    return { failure: message("sourceFolder", { folder }) };
  }
  const files: (DoneFile & { path: string })[] = [];
  for (const name of names) {
    const path = join(folder, name);
    // `lstat` does not follow links, which could lead to any file that this process can read.
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() !== true) continue;
    files.push({ name, path, bytes: found.size, modifiedAt: Math.trunc(found.mtimeMs) });
  }
  return { files };
}

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
      chats: async () => selectChats(db, { sourceId: id }),
      doneFiles: async () => selectDoneFiles(db, { sourceId: id }),
      fileDone: (file) => changes.fileDone({ id, owner }, file),
      nowMs: clock.now,
      elapsedMs: () => clock.monotonic() - begunMs,
    });
  // A folder may have any number of files, each with its own deadline.
  return isBot(settings) ? withDeadline(clock, limits, run) : run(signal);
}

export const HEARTBEAT_MS = 10_000;

/**
 * Looks after this process's runs: stops those no longer wanted, and sends the heartbeat for the others, at
 * most every `HEARTBEAT_MS`.
 * @param owner name of this process
 */
export function createSourceBeat(
  { db, changes, clock }: Pick<RunParts, "db" | "changes" | "clock">,
  owner: string,
  underWay: ReturnType<typeof createRunsUnderWay>,
): () => Promise<void> {
  let nextHeartbeatMs = 0;

  /** Stops runs of sources removed or paused since; one paused before is being run by hand. */
  async function stopUnwanted(): Promise<void> {
    for (const { source: begun, stop } of underWay.all()) {
      const source = await selectSource(db, { id: begun.id });
      if (source === undefined || (source.isPaused && !begun.isPaused)) stop();
    }
  }

  return async () => {
    await stopUnwanted();
    if (underWay.all().length === 0 || clock.monotonic() < nextHeartbeatMs) return;
    nextHeartbeatMs = clock.monotonic() + HEARTBEAT_MS;
    await changes.sourceHeartbeat(owner);
  };
}
