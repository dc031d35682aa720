import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { dirname, join } from "node:path";
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
import { giveToOwnerOf } from "../../db/file/file-access.ts";
import { AppError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { message } from "../../values/messages/messages.ts";
import { DAY_MS } from "../../values/moscow-time.ts";
import type { Backup, Pack } from "./backup-format.ts";
import { BACKUP_ENDING, backupContent, orDamaged, PACK_NAME, readBackup } from "./backup-format.ts";
import {
  createPack,
  openPack,
  PAGE_BYTES,
  type PackReader,
  packName,
  pageChecksum,
  readFull,
} from "./page-packs.ts";

/**
 * A backup of which only the changes cost space. Pages that differ from the backup before are stored in a pack;
 * the backup says for each page which pack has it, and so shares what has not changed, such as the posts and
 * the index of closed months. Neither backups nor packs ever change.
 */

/** Beside the backups of a folder, which share it. */
const PACK_FOLDER = "kanalog-packs";

export interface PageCopy extends DatabaseCopy {
  /** Bytes that this backup added to the folder. */
  addedBytes: number;
}

/** More of them would be slow to copy, and a restore has all of them open. */
const PACKS_MAX = 64;
const READ_BYTES = 64 * PAGE_BYTES;

/**
 * Backs the database up as of now; the backup's file appears once all that it needs is on the disk. Takes the
 * space of one full copy meanwhile, since SQLite shows the pages of one moment in no other way.
 * @param before the backup to share pages with; if it is damaged or may not be read, all pages are stored
 * @throws AppError `conflict` if the file exists, the copy is not sound, or the backup before is damaged, which
 * leaves the new one; `unavailable` if it cannot be written
 */
export async function writePages(
  db: Database,
  path: string,
  before: string | null,
  clock: Clock,
): Promise<PageCopy> {
  requireAbsent(path);
  const folder = dirname(path);
  const draft = beginDraft(path, clock);
  try {
    await db.copyPagesTo(draft.path);
    const schemaVersion = requireSoundFile(draft.path, "quick");
    const { stored, damage } = storeChanged(draft.path, path, before, clock.now());
    const bytes = fs.statSync(draft.path).size;
    const head = { bytes, schemaVersion, checksum: stored.checksum };
    fs.writeFileSync(draft.path, backupContent(head, stored.packs, stored.packOf));
    // Again, since another process may have removed one if this took a day.
    touch(folder, stored.packs, clock.now());
    giveToOwnerOf(folder, draft.path);
    publish(draft.path, path);
    if (damage !== null) {
      throw new AppError("conflict", message("backupBeforeDamaged", { path, reason: damage }));
    }
    const addedBytes = stored.addedBytes + fs.statSync(path).size;
    return { path, bytes, schemaVersion, addedBytes };
  } catch (cause) {
    throw copyFailed(path, cause);
  } finally {
    draft.remove();
  }
}

/** Stores the pages that the backup before lacks, or all of them if it turns out to be damaged. */
function storeChanged(file: string, path: string, before: string | null, nowMs: number) {
  const folder = dirname(path);
  try {
    const backup = before === null ? null : readBackup(before);
    if (backup !== null) {
      orDamaged(backup.path, () => touch(folder, backup.packs, nowMs));
      requireSoundPack(backup, nowMs);
    }
    return { stored: storePages(file, folder, backup, nowMs), damage: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { stored: storePages(file, folder, null, nowMs), damage: error.detail };
  }
}

/** Index of the pack that is being written, before those of the backup before. */
const NEW = 0;

function storePages(file: string, folder: string, before: Backup | null, nowMs: number) {
  const former = before === null ? null : openPages(before);
  const merged = before === null ? null : packsToMerge(before);
  const packOf = new Uint16Array(Math.ceil(fs.statSync(file).size / PAGE_BYTES));
  const all = createHash("sha256");
  const draft = `${file}.pack`;
  fs.rmSync(draft, { force: true });
  const pack = createPack(draft);
  try {
    let number = 0;
    for (const page of pagesOf(file)) {
      const checksum = pageChecksum(page);
      all.update(checksum);
      const index = former?.packOf[number];
      const isSame =
        index !== undefined && !merged?.has(index) && former?.find(number).equals(checksum);
      if (isSame) packOf[number] = index + 1;
      else pack.add(number, page, checksum);
      number += 1;
    }
    if (number !== packOf.length) throw new Error(`${number} of ${packOf.length} pages were read`);
    const { name, pages, bytes } = pack.end();
    if (pages > 0) {
      const place = join(folder, PACK_FOLDER);
      fs.mkdirSync(place, { recursive: true, mode: 0o700 });
      for (const made of [place, draft]) giveToOwnerOf(folder, made);
      fs.renameSync(draft, join(place, name));
      flush(place);
      touch(folder, [[name, pages]], nowMs);
    }
    const packs = withoutUnused([[name, pages], ...(before?.packs ?? [])], packOf);
    return { checksum: all.digest("hex"), packs, packOf, addedBytes: pages > 0 ? bytes : 0 };
  } finally {
    pack.close();
    former?.close();
  }
}

function* pagesOf(file: string): Generator<Buffer> {
  const source = fs.openSync(file, "r");
  const buffer = Buffer.alloc(READ_BYTES);
  try {
    let length = READ_BYTES;
    for (let from = 0; length === READ_BYTES; from += length) {
      length = readFull(source, buffer, from);
      for (let at = 0; at < length; at += PAGE_BYTES) {
        yield buffer.subarray(at, Math.min(at + PAGE_BYTES, length));
      }
    }
  } finally {
    fs.closeSync(source);
  }
}

/**
 * Packs whose pages are stored again, so that they go with the backups that need them: those of which the
 * database has less than half, and the smallest if there are too many.
 */
function packsToMerge({ packs, packOf }: Backup): Set<number> {
  const used = countByPack(packs, packOf());
  const bySize = packs.map((_, index) => index).sort((a, b) => Number(used[b]) - Number(used[a]));
  return new Set(
    bySize.filter(
      (index, rank) => rank >= PACKS_MAX - 1 || 2 * Number(used[index]) < Number(packs[index]?.[1]),
    ),
  );
}

function countByPack(packs: readonly Pack[], packOf: Uint16Array): Uint32Array {
  const counts = new Uint32Array(packs.length);
  for (const index of packOf) counts[index] = Number(counts[index]) + 1;
  return counts;
}

/** Removes the packs that no page is in, and corrects the indexes. */
function withoutUnused(packs: readonly Pack[], packOf: Uint16Array): Pack[] {
  const used = countByPack(packs, packOf);
  const left = packs.filter((_, index) => Number(used[index]) > 0);
  const moved = packs.map((pack) => left.indexOf(pack));
  packOf.forEach((index, number) => {
    packOf[number] = moved[index] ?? NEW;
  });
  return left;
}

/** Sets the time at which packs were last needed. @throws Error if one is missing or another user's */
function touch(folder: string, packs: readonly Pack[], nowMs: number): void {
  for (const [name] of packs) {
    fs.utimesSync(join(folder, PACK_FOLDER, name), nowMs / 1000, nowMs / 1000);
  }
}

/**
 * Reads one of a backup's packs whole, another one each day. Sharing looks at no more than the checksums in a
 * pack, so later backups would inherit rotten pages, and only a restore would find them.
 * @throws AppError `conflict` if it is damaged
 */
function requireSoundPack({ path, packs }: Backup, nowMs: number): void {
  const names = packs.map(([name]) => name).sort();
  const name = names[Math.floor(nowMs / DAY_MS) % names.length] ?? "";
  const file = join(dirname(path), PACK_FOLDER, name);
  const work = (): void => {
    if (packName(file) !== name) throw new Error("its SHA-256 is not its name");
  };
  orDamaged(path, work, file);
}

/** A backup's pages, to be asked for in ascending order. @throws AppError `conflict` if one is damaged */
function openPages(backup: Backup) {
  const packOf = backup.packOf();
  const open: PackReader[] = [];
  const fromPack = (number: number, read: (pack: PackReader) => Buffer): Buffer => {
    const index = packOf[number] ?? 0;
    const path = join(dirname(backup.path), PACK_FOLDER, backup.packs[index]?.[0] ?? "");
    const work = (): Buffer => {
      open[index] ??= openPack(path);
      return read(open[index]);
    };
    return orDamaged(backup.path, work, path);
  };
  return {
    packOf,
    find: (number: number) => fromPack(number, (pack) => pack.find(number)),
    page: (number: number) => fromPack(number, (pack) => pack.page(number)),
    close: () => open.forEach((pack) => void pack.close()),
  };
}

/**
 * Writes the database of a backup into a new file. Each page is compared with its checksum, and all with the
 * backup's.
 * @throws AppError `conflict` if something is missing or damaged
 */
export function unpackPages(backup: Backup, target: string): void {
  const pages = openPages(backup);
  const file = fs.openSync(target, "wx", 0o600);
  const all = createHash("sha256");
  try {
    for (let number = 0; number < pages.packOf.length; number += 1) {
      const page = pages.page(number);
      all.update(pageChecksum(page));
      fs.writeFileSync(file, page);
    }
    fs.fsyncSync(file);
    orDamaged(backup.path, () => {
      if (all.digest("hex") !== backup.head.checksum) throw new Error("its checksum differs");
    });
  } finally {
    fs.closeSync(file);
    pages.close();
  }
}

/** A backup as a database; that of a folder is unpacked beside the target until it is disposed of. */
export function wholeBackup(file: string, target: string, clock: Clock) {
  const backup = readBackup(file);
  if (backup === null) return { path: file, [Symbol.dispose]() {} };
  const draft = beginDraft(target, clock);
  try {
    unpackPages(backup, draft.path);
  } catch (cause) {
    draft.remove();
    throw copyFailed(target, cause);
  }
  return { path: draft.path, [Symbol.dispose]: draft.remove };
}

/** A pack that no backup needs may belong to one in progress until it has this age. */
const UNNEEDED_LEASE_MS = DAY_MS;

/** Removes the packs that no backup of the folder needs; none if one of the backups cannot be read. */
export function removeUnneededPacks(folder: string, nowMs: number): void {
  const place = join(folder, PACK_FOLDER);
  const needed = new Set<string>();
  for (const name of fs.readdirSync(folder)) {
    if (!name.endsWith(BACKUP_ENDING)) continue;
    try {
      const backup = readBackup(join(folder, name));
      if (backup === null) return;
      for (const [pack] of backup.packs) needed.add(pack);
    } catch {
      return;
    }
  }
  for (const name of fs.readdirSync(place)) {
    const path = join(place, name);
    // Another process may have removed it meanwhile.
    const neededAt = fs.statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs;
    const isOld = neededAt < nowMs - UNNEEDED_LEASE_MS;
    if (isOld && PACK_NAME.test(name) && !needed.has(name)) fs.rmSync(path, { force: true });
  }
}
