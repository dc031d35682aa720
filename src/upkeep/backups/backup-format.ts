import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { AppError } from "../../errors.ts";
import { isObject, parseJson } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import { PAGE_BYTES, readFull } from "./page-packs.ts";

/**
 * The file of a backup in a folder: a line of facts, a line with the packs that it needs, and the number of each
 * page's pack in that line, compressed.
 */

/** Ending of a backup's file. */
export const BACKUP_ENDING = ".backup";
export const PACK_NAME = /^[0-9a-f]{64}$/;

const FORMAT = "kanalog-backup-2";
const ANY_FORMAT = "kanalog-backup-";
/** More than the first line has. */
const HEAD_BYTES_MAX = 256;

interface Head {
  format: string;
  /** Size of the database. */
  bytes: number;
  schemaVersion: number;
  /** SHA-256 of the checksums of all pages. */
  checksum: string;
}

/** SHA-256 of a pack and number of its pages. */
export type Pack = [name: string, pages: number];

export interface Backup {
  path: string;
  head: Head;
  packs: readonly Pack[];
  /** Index in `packs` of each page's pack: 0.5 MB per GB of the database. */
  packOf(): Uint16Array;
}

/** The content of a backup's file. */
export function backupContent(
  head: Omit<Head, "format">,
  packs: readonly Pack[],
  packOf: Uint16Array<ArrayBuffer>,
): Buffer {
  const lines = `${JSON.stringify({ format: FORMAT, ...head })}\n${JSON.stringify(packs)}\n`;
  return Buffer.concat([Buffer.from(lines), zstdCompressSync(new Uint8Array(packOf.buffer))]);
}

/** The facts of a backup; null if the file is another, such as a database. Never blocks. */
export async function backupHead(path: string): Promise<Head | null> {
  const [line = ""] = (await Bun.file(path).slice(0, HEAD_BYTES_MAX).text()).split("\n", 1);
  return readHead(line);
}

function readHead(line: string): Head | null {
  const head = parseJson(Buffer.from(line));
  return isObject(head) && String(head["format"]).startsWith(ANY_FORMAT)
    ? (head as unknown as Head)
    : null;
}

/**
 * A backup of a folder; null if the file is another, such as a database.
 * @throws AppError `not_found`, `conflict` if it is damaged, of another format or may not be read
 */
export function readBackup(path: string): Backup | null {
  if (!existsSync(path)) throw new AppError("not_found", message("noFile", { path }));
  return orDamaged(path, () => {
    // A database, of which there may be gigabytes, is not read.
    if (!beginsAsBackup(path)) return null;
    const content = readFileSync(path);
    const headEnd = content.indexOf("\n");
    const packsEnd = content.indexOf("\n", headEnd + 1);
    const head = readHead(content.toString("utf8", 0, headEnd));
    if (head?.format !== FORMAT) throw new Error("another version wrote it, in another format");
    const packs = JSON.parse(content.toString("utf8", headEnd + 1, packsEnd)) as Pack[];
    if (!packs.every(([name]) => PACK_NAME.test(name))) throw new Error("a pack has no name");
    const packOf = (): Uint16Array =>
      orDamaged(path, () => {
        const bytes = Math.ceil(head.bytes / PAGE_BYTES) * Uint16Array.BYTES_PER_ELEMENT;
        const map = zstdDecompressSync(content.subarray(packsEnd + 1), { maxOutputLength: bytes });
        return new Uint16Array(Uint8Array.from(map).buffer);
      });
    return { path, head, packs, packOf };
  });
}

function beginsAsBackup(path: string): boolean {
  const wanted = Buffer.from(`{"format":"${ANY_FORMAT}`);
  const start = Buffer.alloc(wanted.length);
  const file = openSync(path, "r");
  try {
    readFull(file, start, 0);
  } finally {
    closeSync(file);
  }
  return start.equals(wanted);
}

/** @throws AppError `conflict` that names the backup and the file at fault, if work on it throws */
export function orDamaged<T>(backup: string, work: () => T, file = backup): T {
  try {
    return work();
  } catch (cause) {
    const reason = `${file}: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new AppError("conflict", message("backupDamaged", { backup, reason }), { cause });
  }
}
