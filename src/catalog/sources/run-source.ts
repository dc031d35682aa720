import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { type ImportSummary, sumOf } from "../imports/import-summary.ts";
import { INTERRUPTED } from "../imports/source.ts";
import { BOT_MESSENGERS } from "./bots.ts";
import type { Downloaded } from "./download-file.ts";
import { foldersFiles } from "./folder-files.ts";
import type { SourceFile } from "./import-source-file.ts";
import { failed, NOTHING, type Outcome } from "./outcome.ts";
import { runBot, type Writing } from "./run-bot.ts";
import type { DoneFile } from "./sources.store.ts";
import { type FileOptions, isBot, type Source, type SourcePosition } from "./sources.table.ts";

/** Surroundings of a run. */
export interface RunTools extends Writing {
  /** The file of an address, in a file of this machine. */
  download(
    url: string,
    request: { headers: Record<string, string>; into: string; signal: AbortSignal },
  ): Promise<Downloaded>;
  importFile(file: Pick<SourceFile, "path" | "name" | "options">): Promise<ImportSummary>;
  files: { newPath(): string; remove(path: string): void };
  /** Whether all is read, whatever was read before. */
  isAgain: boolean;
  doneFiles(): Promise<DoneFile[]>;
  fileDone(file: DoneFile): Promise<void>;
}

/**
 * Runs a source once. What is wrong with the other side or its file is an outcome; a fault of this machine
 * is thrown.
 * @param secret opened: the headers of a pull, or the token of a bot
 */
export async function runSource(
  { settings, position }: Source,
  secret: Record<string, string>,
  tools: RunTools,
): Promise<Outcome> {
  if (isBot(settings)) {
    const { token = "" } = secret;
    const messenger = BOT_MESSENGERS[settings.kind];
    return orFailed(() => runBot(messenger, { ...settings, token }, position, tools));
  }
  return settings.kind === "pull"
    ? pull(settings, position, secret, tools)
    : readFolder(settings, tools);
}

/** A refusal that says what is wrong is an outcome. */
async function orFailed(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError && error.code !== "internal") return failed(error.said);
    throw error;
  }
}

async function pull(
  { url, ...options }: { url: string } & FileOptions,
  position: SourcePosition,
  headers: Record<string, string>,
  tools: RunTools,
): Promise<Outcome> {
  const into = tools.files.newPath();
  try {
    const asked = { ...(!tools.isAgain && conditions(position)), ...USUAL_HEADERS, ...headers };
    // A 304 to any other request says nothing of a file that was never imported.
    const isConditional = Object.keys(asked).some((name) => name.startsWith("if-"));
    const answer = await tools.download(url, {
      ...{ into, signal: tools.signal, headers: asked },
    });
    if (tools.signal.aborted) return failed(INTERRUPTED);
    if ("failure" in answer) return failed(answer.failure);
    const { status } = answer;
    if (status === NOT_MODIFIED && isConditional) return NOTHING;
    if (status !== OK) {
      return {
        ...failed(message("sourceStatus", { status })),
        retryAfterMs: waitOf(answer, tools),
      };
    }
    if (/^text\/html\b/i.test(answer.headers["content-type"] ?? "")) {
      return failed(message("sourceHtml"));
    }
    const { etag, "last-modified": lastModified } = answer.headers;
    const imported = await importOne(tools, { path: into, name: url, options });
    if (imported.failure !== null) return { ...NOTHING, ...imported };
    const lagMs = tools.nowMs() - Date.parse(lastModified ?? "");
    return {
      ...NOTHING,
      ...imported,
      position: {
        ...(etag !== null && etag.length <= ETAG_LENGTH_MAX && { etag }),
        ...(lastModified !== null && { lastModified }),
        ...(lagMs >= 0 && { lagMs }),
      },
    };
  } finally {
    tools.files.remove(into);
  }
}

/** A longer tag, sent back, may be more than the other side takes of headers: it would refuse for ever. */
const ETAG_LENGTH_MAX = 1_000;
const OK = 200;
const NOT_MODIFIED = 304;
const USUAL_HEADERS = { "accept-encoding": "gzip, zstd", "user-agent": "Kanalog/1" };

function conditions({ etag, lastModified }: SourcePosition): Record<string, string> {
  return {
    ...(etag !== undefined && { "if-none-match": etag }),
    ...(lastModified !== undefined && { "if-modified-since": lastModified }),
  };
}

const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000;

/** `Retry-After`, as seconds or as a date; null where the answer says nothing. */
function waitOf({ headers }: Extract<Downloaded, { status: number }>, { nowMs }: RunTools) {
  const text = headers["retry-after"]?.trim() ?? "";
  if (text === "") return null;
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs();
  return Number.isNaN(waitMs) ? null : Math.min(Math.max(waitMs, 0), RETRY_AFTER_MAX_MS);
}

/** A file that is younger may still be written. */
const SETTLED_MS = 10_000;

/** Reads the files of a folder that are new or changed, each once, in the order of their names. */
async function readFolder(
  { folder, ...options }: { folder: string } & FileOptions,
  tools: RunTools,
): Promise<Outcome> {
  const doneFiles = tools.isAgain ? [] : await tools.doneFiles();
  const done = new Map(doneFiles.map((file) => [file.name, file]));
  const listed = await foldersFiles(folder);
  if ("failure" in listed) return failed(listed.failure);
  let outcome = NOTHING;
  for (const { path, ...file } of listed.files) {
    const known = done.get(file.name);
    if (known?.bytes === file.bytes && known.modifiedAt === file.modifiedAt) continue;
    // A time that lies ahead is that of another clock.
    if (Math.abs(tools.nowMs() - file.modifiedAt) < SETTLED_MS) {
      // Those behind it wait too, since they are read in the order of their names.
      return { ...outcome, unsettled: file.name, retryAfterMs: SETTLED_MS };
    }
    if (tools.signal.aborted) return { ...outcome, failure: INTERRUPTED };
    const imported = await importOne(tools, { path, name: file.name, options });
    const summary =
      imported.summary === null ? outcome.summary : sumOf(outcome.summary, imported.summary);
    const rows = outcome.rows + imported.rows;
    if (imported.failure !== null) {
      // Those behind it wait, since they may build on it.
      return { ...outcome, summary, rows, failure: imported.failure, failedFile: file.name };
    }
    // A file that was written to meanwhile is another one by now, and read again the next time.
    await tools.fileDone(file);
    const lagMs = Math.max(0, tools.nowMs() - file.modifiedAt);
    outcome = { ...outcome, summary, rows, position: { lagMs } };
  }
  return outcome;
}

/**
 * Imports a file. One of which every row was rejected is not done with: it may be another file than is meant,
 * or come before the channels that it names.
 */
async function importOne(
  tools: RunTools,
  file: Pick<SourceFile, "path" | "name" | "options">,
): Promise<Pick<Outcome, "failure" | "summary" | "rows">> {
  try {
    const summary = await tools.importFile(file);
    const { read, rejected } = summary;
    const isNone = read > 0 && rejected === read;
    const failure = isNone ? message("sourceAllRejected", { rows: read }) : null;
    return { failure, summary, rows: read - rejected };
  } catch (error) {
    if (error instanceof AppError && error.code !== "internal") return failed(error.said);
    throw error;
  }
}
