import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readSync, writeFileSync } from "node:fs";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

/**
 * A pack has pages of a database in ascending order, in frames: a head with the bytes that the frame's pages
 * take compressed and with their count, then number and checksum of each page, then the compressed pages.
 */

/** SQLite's, with which every database of Kanalog is made; another size is only stored less well. */
export const PAGE_BYTES = 4096;
/** Pages alone are compressed badly, and a restore decompresses frames for single pages. */
const FRAME_PAGES = 64;
const FRAME_BYTES = FRAME_PAGES * PAGE_BYTES;
const HEAD_BYTES = 8;
const NUMBER_BYTES = 4;
const CHECKSUM_BYTES = 16;
const ENTRY_BYTES = NUMBER_BYTES + CHECKSUM_BYTES;

/** Half of a SHA-256: 16 bytes for each page are a hundredth of what it takes compressed. */
export function pageChecksum(page: Uint8Array): Buffer {
  return createHash("sha256").update(page).digest().subarray(0, CHECKSUM_BYTES);
}

/**
 * Fills a buffer as far as the file goes, since some file systems return less at once.
 * @returns the bytes read
 */
export function readFull(file: number, buffer: Buffer, at: number): number {
  let filled = 0;
  for (;;) {
    const bytes = readSync(file, buffer, filled, buffer.length - filled, at + filled);
    filled += bytes;
    if (bytes === 0 || filled === buffer.length) return filled;
  }
}

/** Writes a pack into a new file. */
export function createPack(path: string) {
  const file = openSync(path, "wx", 0o600);
  const whole = createHash("sha256");
  const entries = Buffer.alloc(FRAME_PAGES * ENTRY_BYTES);
  const content = Buffer.alloc(FRAME_BYTES);
  const pack = { pages: 0, bytes: 0 };
  let count = 0;
  let filled = 0;

  function endFrame(): void {
    if (count === 0) return;
    const packed = zstdCompressSync(content.subarray(0, filled));
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(packed.length);
    head.writeUInt32LE(count, NUMBER_BYTES);
    for (const part of [head, entries.subarray(0, count * ENTRY_BYTES), packed]) {
      writeFileSync(file, part);
      whole.update(part);
      pack.bytes += part.length;
    }
    pack.pages += count;
    count = 0;
    filled = 0;
  }

  return {
    add(number: number, page: Buffer, checksum: Buffer): void {
      entries.writeUInt32LE(number, count * ENTRY_BYTES);
      checksum.copy(entries, count * ENTRY_BYTES + NUMBER_BYTES);
      filled += page.copy(content, filled);
      count += 1;
      if (count === FRAME_PAGES) endFrame();
    },

    /** @returns its size, and the SHA-256 of the file, which is to be its name */
    end(): { name: string; pages: number; bytes: number } {
      endFrame();
      fsyncSync(file);
      return { name: whole.digest("hex"), ...pack };
    },

    close: (): void => closeSync(file),
  };
}

/** The SHA-256 of a pack's file, which a sound one has as its name. */
export function packName(path: string): string {
  const file = openSync(path, "r");
  const whole = createHash("sha256");
  const buffer = Buffer.alloc(FRAME_BYTES);
  try {
    let length = buffer.length;
    for (let at = 0; length === buffer.length; at += length) {
      length = readFull(file, buffer, at);
      whole.update(buffer.subarray(0, length));
    }
    return whole.digest("hex");
  } finally {
    closeSync(file);
  }
}

export type PackReader = ReturnType<typeof openPack>;

/** Reads a pack's pages, which are to be asked for in ascending order. */
export function openPack(path: string) {
  const file = openSync(path, "r");
  let frameEnd = 0;
  let entries: Buffer = Buffer.alloc(0);
  let entry = 0;
  let packed = { at: 0, bytes: 0 };
  let content: Buffer | null = null;

  function read(at: number, bytes: number): Buffer {
    const part = Buffer.alloc(bytes);
    if (readFull(file, part, at) < bytes) throw new Error("it is too short");
    return part;
  }

  function nextFrame(): void {
    const head = read(frameEnd, HEAD_BYTES);
    const [bytes, count] = [head.readUInt32LE(), head.readUInt32LE(NUMBER_BYTES)];
    if (count > FRAME_PAGES || bytes > 2 * FRAME_BYTES) throw new Error("it is no pack");
    const from = frameEnd + HEAD_BYTES;
    entries = read(from, count * ENTRY_BYTES);
    packed = { at: from + entries.length, bytes };
    frameEnd = packed.at + bytes;
    content = null;
    entry = 0;
  }

  /** @returns the page's checksum */
  function find(number: number): Buffer {
    for (;;) {
      while (entry * ENTRY_BYTES >= entries.length) nextFrame();
      const at = entry * ENTRY_BYTES;
      const found = entries.readUInt32LE(at);
      if (found === number) return entries.subarray(at + NUMBER_BYTES, at + ENTRY_BYTES);
      if (found > number) throw new Error(`it lacks page ${number}`);
      entry += 1;
    }
  }

  return {
    find,

    /** A page, compared with its checksum. */
    page(number: number): Buffer {
      const checksum = find(number);
      content ??= zstdDecompressSync(read(packed.at, packed.bytes), {
        maxOutputLength: FRAME_BYTES,
      });
      const page = content.subarray(entry * PAGE_BYTES, (entry + 1) * PAGE_BYTES);
      if (!pageChecksum(page).equals(checksum)) throw new Error(`its page ${number} has changed`);
      return page;
    },

    close: (): void => closeSync(file),
  };
}
