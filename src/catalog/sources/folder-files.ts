import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Message, message } from "../../values/messages/messages.ts";
import type { DoneFile } from "./sources.store.ts";

/** Names of incomplete files: hidden ones, and those that copy programs rename when they finish. */
const UNFINISHED = /^\.|\.(part|partial|tmp|filepart)$/i;

/** Files of a folder, in the order of their names, without links and subfolders. */
export async function folderFiles(
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
