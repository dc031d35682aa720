import type { Database, Transaction } from "../../../db/database.ts";
import { findMeta, type MetaName, writeMeta } from "../../../db/meta.ts";
import { shortened } from "../../../values/fields.ts";
import type { Language, Message } from "../../../values/messages/messages.ts";
import { inEnglish, inLanguage, message, verbatim } from "../../../values/messages/messages.ts";
import { stringifyExact } from "../reading/json-rows.ts";
import type { Recognized } from "../reading/recognized.ts";

export interface ImportSummary {
  read: number;
  inserted: number;
  updated: number;
  unchanged: number;
  /** Rows of channels that were deleted or merged, which changed nothing. */
  kept_out: number;
  rejected: number;
  /** With `--replace` only. */
  removed?: number;
  /** For channels: handles that moved to another channel. */
  handles_moved?: number;
  seconds: number;
  recognized: Recognized;
  /** Rejected rows by column and reason. */
  rejects: ReasonGroup[];
  /** Dropped cells by column and reason, and oddities of the file. */
  warnings: ReasonGroup[];
}

export function nothingImported(recognized: Recognized): ImportSummary {
  return {
    read: 0,
    inserted: 0,
    updated: 0,
    unchanged: 0,
    kept_out: 0,
    rejected: 0,
    seconds: 0,
    recognized,
    rejects: [],
    warnings: [],
  };
}

/** Rows after which a file is given up if all of them were rejected. */
export const ROWS_TRIED = 10_000;

/**
 * Whether the first rows were all rejected, so that the rest is not read: a small compressed file may expand
 * to gigabytes of such rows.
 */
export function isHopeless({ read, rejected }: Pick<ImportSummary, "read" | "rejected">): boolean {
  return read >= ROWS_TRIED && rejected === read;
}

export function changedBy({ inserted, updated }: ImportSummary): number {
  return inserted + updated;
}

const GROUPS_MAX = 50;

/** Adds the summary of another file or batch; how it was read replaces how the earlier ones were. */
export function sumOf(before: ImportSummary | null, one: ImportSummary): ImportSummary {
  if (before === null) return one;
  const handlesMoved = (before.handles_moved ?? 0) + (one.handles_moved ?? 0);
  return {
    ...one,
    read: before.read + one.read,
    inserted: before.inserted + one.inserted,
    updated: before.updated + one.updated,
    unchanged: before.unchanged + one.unchanged,
    kept_out: before.kept_out + one.kept_out,
    rejected: before.rejected + one.rejected,
    seconds: before.seconds + one.seconds,
    ...(one.handles_moved !== undefined && { handles_moved: handlesMoved }),
    rejects: [...before.rejects, ...one.rejects].slice(0, GROUPS_MAX),
    warnings: [...before.warnings, ...one.warnings].slice(0, GROUPS_MAX),
  };
}

/** A summary with its messages in English, for JSON. */
export function summaryView<Summary extends ImportSummary>({
  rejects,
  warnings,
  ...counts
}: Summary) {
  return { ...counts, rejects: rejects.map(groupView), warnings: warnings.map(groupView) };
}

function groupView({ fault, column, ...others }: ReasonGroup) {
  return { column, reason: reasonOf("en", { fault }), ...others };
}

/**
 * Counts imports that wrote days or posts, in the rows' own transaction; jobs that compute from such rows
 * compare the count. It is a count rather than a time because clocks differ between nodes and can be set
 * back.
 */
export function countImport(tx: Transaction): void {
  writeCount(tx, "imported", countOf(tx, "imported") + 1);
}

/** Records that a run of a job begins, which covers everything imported so far. */
export function noteFollowed(tx: Transaction, job: string): void {
  writeCount(tx, `followed ${job}`, countOf(tx, "imported"));
}

/** Whether nothing was imported since a job's last run began. */
export function hasFollowed(db: Database, job: string): boolean {
  return countOf(db, `followed ${job}`) === countOf(db, "imported");
}

function countOf(db: Database, name: MetaName): number {
  return Number(Buffer.from(findMeta(db, name) ?? []).toString());
}

function writeCount(tx: Transaction, name: MetaName, count: number): void {
  writeMeta(tx, name, Buffer.from(String(count)));
}

/** Rows or cells lost for the same reason, with one of them as an example. */
export interface ReasonGroup {
  /** Null if the reason concerns the whole row, or the file. */
  column: string | null;
  fault: Message;
  count: number;
  /** The example's line; null if it concerns the file. */
  line: number | null;
  /** Contents of the example's cell, shortened; null if there is no cell. */
  value: string | null;
}

const VALUE_LENGTH_MAX = 100;
const TEXT_LENGTH_MAX = 500;

/** Counts rejected rows and dropped cells by column and reason. Stays small, however many there are. */
export function createTally() {
  const groups = new Map<string, ReasonGroup>();
  return {
    /** @param line 0 for a row of no file @param value as in the file, or undefined */
    add(column: string | null, fault: Message, line: number, value: unknown): void {
      const key = `${fault.code} ${column}`;
      const group = groups.get(key);
      if (group !== undefined) group.count += 1;
      else
        groups.set(key, { column, fault, count: 1, line: line || null, value: shownValue(value) });
    },

    /** Starts over, if what it counted was rolled back. */
    clear: (): void => groups.clear(),

    /** Most frequent first. */
    groups: (): ReasonGroup[] => [...groups.values()].toSorted((a, b) => b.count - a.count),
  };
}

export type Tally = ReturnType<typeof createTally>;

/** A group's reason in words, with what to do about it if that is always the same. */
export function reasonOf(language: Language, { fault }: Pick<ReasonGroup, "fault">): string {
  const reason = inLanguage(language, fault);
  const hint = fault.code.startsWith("noChannel") ? message("importChannelsFirst") : null;
  return hint === null ? reason : `${reason} ${inLanguage(language, hint)}`;
}

function shownValue(value: unknown): string | null {
  if (value == null) return null;
  return shortened(typeof value === "string" ? value : stringifyExact(value), VALUE_LENGTH_MAX);
}

export function cutGroup(group: ReasonGroup): ReasonGroup {
  return { ...group, fault: cut(group.fault) };
}

/** A message as recorded: shortened, since it may quote a cell of any length. */
export function cut(reason: Message): Message {
  const text = inEnglish(reason);
  return text.length <= TEXT_LENGTH_MAX ? reason : verbatim(shortened(text, TEXT_LENGTH_MAX));
}
