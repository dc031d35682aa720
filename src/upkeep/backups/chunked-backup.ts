import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Database } from "../../db/database.ts";
import {
  beginDraft,
  copyFailed,
  type DatabaseCopy,
  flush,
  publish,
  requireAbsent,
  requireSoundFile,
} from "../../db/file/database-copy.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { isObject, parseJson } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";

const FORMAT = "kanalog-backup-1";
/** The first bytes of an SQLite file. */
const DATABASE_HEAD = Buffer.from("SQLite format 3\0");

/** The first line of a backup's file; the checksum of each chunk follows, one per line. */
interface Head {
  format: typeof FORMAT;
  /** Size of the database. */
  bytes: number;
  schemaVersion: number;
}

/** More than the first line has. */
const HEAD_BYTES_MAX = 256;

export interface ChunkedCopy extends DatabaseCopy {
  /** Bytes that this backup added to the folder. */
  addedBytes: number;
}

/** Small enough that a changed page copies little else, large enough that 20 GB are 80,000 files. */
const CHUNK_BYTES = 256 * 1024;

/**
 * A backup of which only the changes cost space. The database's pages are stored in chunks, each once under its
 * checksum, and a backup lists its chunks: what has not changed since an earlier one, such as the posts and the
 * index of closed months, is shared with it.
 */

/** Ending of a backup's file. */
export const CHUNKED_ENDING = ".backup";
/** Beside the backups of a folder, which share it. */
const CHUNK_FOLDER = "kanalog-chunks";
const CHUNK_NAME = /^[0-9a-f]{64}$/;

/** By the first two digits, since folders of 80,000 files are slow to copy. */
function chunkPath(backup: string, name: string): string {
  return join(dirname(backup), CHUNK_FOLDER, name.slice(0, 2), name);
}

/**
 * Backs the database up as of now; the backup's file appears once all that it lists is on the disk. Takes the
 * space of one full copy meanwhile, since SQLite shows the pages of one moment in no other way.
 * @throws AppError `conflict` if the file exists or the copy is not sound, `unavailable` if it cannot be
 * written
 */
export async function writeChunked(db: Database, path: string, clock: Clock): Promise<ChunkedCopy> {
  requireAbsent(path);
  const draft = beginDraft(path, clock);
  try {
    await db.copyPagesTo(draft.path);
    const schemaVersion = requireSoundFile(draft.path, "quick");
    const bytes = statSync(draft.path).size;
    const { chunks, addedBytes } = storeChunks(draft.path, path, clock.now());
    const head: Head = { format: FORMAT, bytes, schemaVersion };
    writeFileSync(draft.path, [JSON.stringify(head), ...chunks].join("\n"));
    publish(draft.path, path);
    return { path, bytes, schemaVersion, addedBytes };
  } catch (cause) {
    throw copyFailed(path, cause);
  } finally {
    draft.remove();
  }
}

function storeChunks(file: string, backup: string, nowMs: number) {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const chunks: string[] = [];
  const folders = new Set<string>();
  let addedBytes = 0;
  const source = openSync(file, "r");
  try {
    for (let length = readSync(source, buffer); length > 0; length = readSync(source, buffer)) {
      const content = buffer.subarray(0, length);
      const name = sha256(content);
      chunks.push(name);
      const path = chunkPath(backup, name);
      if (touch(path, nowMs)) continue;
      addedBytes += storeChunk(path, content);
      touch(path, nowMs);
      folders.add(dirname(path));
    }
  } finally {
    closeSync(source);
  }
  for (const folder of folders) flush(folder);
  return { chunks, addedBytes };
}

const sha256 = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");

/** Sets the time at which a chunk was last needed. @returns false if there is no such chunk */
function touch(path: string, nowMs: number): boolean {
  try {
    utimesSync(path, nowMs / 1000, nowMs / 1000);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** @returns the bytes it takes */
function storeChunk(path: string, content: Uint8Array): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const packed = zstdCompressSync(content);
  // Under a name of its own until it is complete, since another backup may be storing the same chunk.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, packed, { mode: 0o600, flush: true });
  renameSync(draft, path);
  return packed.length;
}

/** The facts of a backup; null if the file is another, such as a database. Never blocks. */
export async function chunkedHead(path: string): Promise<Head | null> {
  const [line = ""] = (await Bun.file(path).slice(0, HEAD_BYTES_MAX).text()).split("\n", 1);
  return readHead(line);
}

function readHead(line: string): Head | null {
  const head = parseJson(Buffer.from(line));
  return isObject(head) && head["format"] === FORMAT ? (head as unknown as Head) : null;
}

/**
 * The chunks that a backup lists; null if the file is another, such as a database.
 * @throws AppError `not_found`
 */
export function readChunked(path: string): string[] | null {
  if (!existsSync(path)) throw new AppError("not_found", message("noFile", { path }));
  // A database, of which there may be gigabytes, is not read.
  if (isDatabase(path)) return null;
  const [head = "", ...chunks] = readFileSync(path, "utf8").split("\n");
  return readHead(head) === null ? null : chunks;
}

function isDatabase(path: string): boolean {
  const head = Buffer.alloc(DATABASE_HEAD.length);
  const file = openSync(path, "r");
  try {
    readSync(file, head);
  } finally {
    closeSync(file);
  }
  return head.equals(DATABASE_HEAD);
}

/**
 * Writes the database of a chunked backup into a new file. Each chunk is compared with its checksum.
 * @throws AppError `conflict` if a chunk is missing or damaged
 */
export function unpackChunked(path: string, chunks: readonly string[], target: string): void {
  const file = openSync(target, "wx", 0o600);
  try {
    for (const name of chunks) writeSync(file, readChunk(path, name));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function readChunk(backup: string, name: string): Uint8Array {
  const path = chunkPath(backup, name);
  try {
    if (!CHUNK_NAME.test(name)) throw new Error("a chunk's name is no checksum");
    const content = zstdDecompressSync(readFileSync(path), { maxOutputLength: CHUNK_BYTES });
    if (sha256(content) !== name) throw new Error("its content has changed");
    return content;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AppError("conflict", message("chunkDamaged", { backup, path, reason }), { cause });
  }
}

/** A chunk that no backup lists may belong to one in progress until it has this age. */
const UNLISTED_LEASE_MS = 24 * 60 * 60 * 1000;

/** Removes the chunks that no backup of the folder lists; none if one of the backups cannot be read. */
export function removeUnlistedChunks(folder: string, nowMs: number): void {
  const place = join(folder, CHUNK_FOLDER);
  const listed = new Set<string>();
  for (const name of readdirSync(folder)) {
    if (!name.endsWith(CHUNKED_ENDING)) continue;
    const chunks = readChunked(join(folder, name));
    if (chunks === null) return;
    for (const chunk of chunks) listed.add(chunk);
  }
  for (const name of readdirSync(place, { recursive: true, encoding: "utf8" })) {
    const path = join(place, name);
    const facts = statSync(path);
    const isOld = facts.mtimeMs < nowMs - UNLISTED_LEASE_MS;
    if (facts.isFile() && isOld && !listed.has(basename(name))) rmSync(path);
  }
}
