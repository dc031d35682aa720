import { AppError } from "../../errors.ts";
import { message } from "../../values/messages/messages.ts";
import { type ImportSummary, isHopeless } from "../imports/writing/import-summary.ts";
import type { Downloaded } from "./download-file.ts";
import type { SourceFile } from "./import-source-file.ts";
import { failed, NOTHING, type Outcome } from "./outcome.ts";
import type { BotRunTools } from "./run-bot.ts";
import type { DoneFile } from "./sources.store.ts";

export interface FileTools extends Pick<BotRunTools, "nowMs" | "signal"> {
  download(
    url: string,
    request: { headers: Record<string, string>; into: string; signal: AbortSignal },
  ): Promise<Downloaded>;
  importFile(file: NamedFile): Promise<ImportSummary>;
  files: { newPath(): string; remove(path: string): void };
  isAgain: boolean;
  doneFiles(): Promise<DoneFile[]>;
  fileDone(file: DoneFile): Promise<void>;
}

type NamedFile = Pick<SourceFile, "path" | "name" | "options">;

/**
 * Imports a file. One whose rows were all rejected is a failure, and so will be read again: it may be the
 * wrong file, or have arrived before the channels that it names.
 */
export function importOne(tools: FileTools, file: NamedFile): Promise<Outcome> {
  return orFailed(async () => {
    const summary = await tools.importFile(file);
    const { read, rejected } = summary;
    const isNone = read > 0 && rejected === read;
    const code = isHopeless(summary) ? "firstRowsRejected" : "sourceAllRejected";
    const failure = isNone ? message(code, { rows: read }) : null;
    return { ...NOTHING, failure, summary, rows: read - rejected };
  });
}

/** Turns an error that explains itself into an outcome. */
export async function orFailed(run: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof AppError && error.code !== "internal") return failed(error.publicMessage);
    throw error;
  }
}
