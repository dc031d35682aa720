import { existsSync, mkdirSync, renameSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { type Message, message } from "../../../values/messages/messages.ts";
import { INTERRUPTED } from "../../imports/reading/input.ts";
import { sumOf } from "../../imports/writing/import-summary.ts";
import { failed, NOTHING, type Outcome } from "../source-run-changes.ts";
import type { FolderFile } from "../sources.store.ts";
import type { FileOptions } from "../sources.table.ts";
import { type FileTools, importOne } from "./download-file.ts";

/** A younger file may still be being written. */
const SETTLED_MS = 10_000;

/** Folder, beside the files, for those that could not be read. */
const REJECTED = "rejected";

/**
 * Reads each new or changed file once, in the order of their names. One that cannot be read is set aside, and
 * reading goes on.
 */
export async function readFolder(
  { folder, ...options }: { folder: string } & FileOptions,
  tools: FileTools,
): Promise<Outcome> {
  const doneFiles = tools.isAgain ? [] : await tools.doneFiles();
  const done = new Map(doneFiles.map((file) => [file.name, file]));
  const listed = await folderFiles(folder);
  if ("failure" in listed) return failed(listed.failure);
  let outcome = NOTHING;
  for (const file of listed.files) {
    const known = done.get(file.name);
    const isSame = known?.bytes === file.bytes && known.modifiedAt === file.modifiedAt;
    if (isSame && !known.isMoved) continue;
    // A time further in the future comes from another clock, and is not waited for.
    if (Math.abs(tools.nowMs() - file.modifiedAt) < SETTLED_MS) {
      // Later files wait too, to keep the order.
      return { ...outcome, unsettled: file.name, retryAfterMs: SETTLED_MS };
    }
    if (tools.signal.aborted) return { ...outcome, failure: INTERRUPTED };
    const path = join(folder, file.name);
    const { isFileFault, ...imported } = await importOne(tools, { path, name: file.name, options });
    const summary =
      imported.summary === null ? outcome.summary : sumOf(outcome.summary, imported.summary);
    outcome = { ...outcome, summary, rows: outcome.rows + imported.rows };
    const { failure: fault } = imported;
    if (fault !== null && !isFileFault) return { ...outcome, failure: fault };
    // Recorded as it was before the import: if it was written to meanwhile, it differs and is read again.
    await tools.fileDone({
      ...file,
      fault,
      isMoved: fault !== null && isSetAside(folder, file.name),
    });
    if (fault !== null) {
      outcome = { ...outcome, setAside: [...outcome.setAside, { name: file.name, fault }] };
    } else {
      outcome = { ...outcome, position: { lagMs: Math.max(0, tools.nowMs() - file.modifiedAt) } };
    }
  }
  return outcome;
}

/**
 * Moves a file aside, under another name if one of its name is there already; false if it stays, as where the
 * folder can only be read.
 */
function isSetAside(folder: string, name: string): boolean {
  try {
    mkdirSync(join(folder, REJECTED), { recursive: true });
    const { name: stem, ext } = parse(name);
    let aside = name;
    for (let at = 2; existsSync(join(folder, REJECTED, aside)); at++) aside = `${stem}.${at}${ext}`;
    renameSync(join(folder, name), join(folder, REJECTED, aside));
    return true;
  } catch {
    return false;
  }
}

/** Names of incomplete files: hidden ones, and those that copy programs rename when they finish. */
const UNFINISHED = /^\.|\.(part|partial|tmp|filepart)$/i;

/** Files of a folder, in the order of their names, without links and subfolders. */
async function folderFiles(
  folder: string,
): Promise<{ files: FolderFile[] } | { failure: Message }> {
  let names: string[];
  try {
    names = (await readdir(folder)).filter((name) => !UNFINISHED.test(name)).sort();
  } catch {
    return { failure: message("sourceFolder", { folder }) };
  }
  const files: FolderFile[] = [];
  for (const name of names) {
    // `lstat` does not follow links, which could lead to any file that this process can read.
    const found = await lstat(join(folder, name)).catch(() => null);
    if (found?.isFile() !== true) continue;
    files.push({ name, bytes: found.size, modifiedAt: Math.trunc(found.mtimeMs) });
  }
  return { files };
}
