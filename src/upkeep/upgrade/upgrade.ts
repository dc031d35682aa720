import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beginDraft, writeCopy } from "../../db/file/database-copy.ts";
import { openExisting, requireExisting } from "../../db/open-database.ts";
import type { Clock } from "../../ports/clock.ts";
import { saveAddress } from "../../ports/download.ts";
import { platformName } from "../../ports/system.ts";
import { fileStamp } from "../../values/moscow-time.ts";

/** An executable for this machine, as the checksums of a folder or address of releases name it. */
export interface Release {
  version: string;
  file: string;
  sha256: string;
}

/**
 * The newest release for this machine; null if there is none.
 * @param from folder or https address of releases
 * @throws Error if its checksums cannot be read
 */
export async function findRelease(from: string): Promise<Release | null> {
  const folder = fs.mkdtempSync(join(tmpdir(), "kanalog-upgrade-"));
  try {
    const sums = join(folder, "SHA256SUMS");
    await take(from, "SHA256SUMS", sums);
    const line = new RegExp(
      `^([0-9a-f]{64}) [ *](kanalog-(\\d+\\.\\d+\\.\\d+[\\w.+-]*?)-${platformName()}(?:\\.exe)?)$`,
      "gm",
    );
    const releases = [...fs.readFileSync(sums, "utf8").matchAll(line)].map(
      ([, sha256 = "", file = "", version = ""]) => ({ version, file, sha256 }),
    );
    return releases.sort((a, b) => Bun.semver.order(b.version, a.version))[0] ?? null;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** Copies a file of a folder, or downloads it from an address. */
async function take(from: string, file: string, to: string): Promise<void> {
  if (/^\w{2,}:/.test(from)) return saveAddress(`${from.replace(/\/$/, "")}/${file}`, to);
  fs.copyFileSync(join(from, file), to);
}

/**
 * Replaces an executable by a release: only if its checksum is right, it runs on this machine, and the
 * database was copied. Whatever fails, nothing is changed.
 * @returns paths of the database's copy and of the executable as it was before
 * @throws Error that says why not
 */
export async function upgrade(
  executable: string,
  databasePath: string,
  { from, release }: { from: string; release: Release },
  clock: Clock,
): Promise<{ backup: string; previous: string }> {
  requireExisting(databasePath);
  const draft = beginDraft(executable, clock);
  try {
    await take(from, release.file, draft.path);
    requireRelease(draft.path, release);
    fs.chmodSync(draft.path, fs.statSync(executable).mode);
    requireRuns(draft.path, release);
    const backup = `${databasePath}.before-upgrade-${fileStamp(clock.now())}`;
    using db = openExisting(databasePath, clock);
    writeCopy(db, backup, clock);
    return { backup, previous: replace(executable, draft.path) };
  } finally {
    draft.remove();
  }
}

/** @throws Error unless the file, as it is on the disk, has the release's checksum */
function requireRelease(path: string, { file, sha256 }: Release): void {
  const opened = fs.openSync(path, "r+");
  fs.fsyncSync(opened);
  fs.closeSync(opened);
  const found = new Bun.SHA256().update(fs.readFileSync(path)).digest("hex");
  if (found !== sha256)
    throw new Error(`${file} has the checksum ${found}, and SHA256SUMS says ${sha256}`);
}

function requireRuns(path: string, { file, version }: Release): void {
  const { stdout } = Bun.spawnSync([path, "--version"], { cwd: dirname(path) });
  if (stdout.toString().trim() !== version)
    throw new Error(`${file} does not run on this machine, or is not version ${version}`);
}

/** Puts the draft in the executable's place. @returns where the executable is now */
function replace(executable: string, draft: string): string {
  const previous = `${executable}.previous`;
  fs.rmSync(previous, { force: true });
  // Windows renames a running program, but neither replaces nor removes it.
  if (process.platform === "win32") fs.renameSync(executable, previous);
  else fs.linkSync(executable, previous);
  fs.renameSync(draft, executable);
  return previous;
}
