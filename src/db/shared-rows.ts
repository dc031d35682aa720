import type { Clock } from "../ports/clock.ts";
import { type Database, statement, type Transaction } from "./database.ts";
import type { Wait } from "./transaction.ts";

/*
 * Files whose rows are those of several machines: each is a copy, and what one writes reaches all. This is
 * all that the program knows of it outside `src/cluster`; a standalone appliance has no such connection.
 */

/** The connection of a copy to where all machines' rows are. */
export interface SharedRows {
  /** Runs a transaction of the file whose changes all machines get. */
  inTransaction<T>(
    clock: Clock,
    name: string,
    work: (tx: Transaction) => T | Promise<T>,
    wait: Wait,
  ): Promise<T>;
  /**
   * Copies what other machines have committed. @returns whether there was anything
   * @throws AppError `unavailable`
   */
  copyNewest(clock: Clock): Promise<boolean>;
  /** Deletes what is kept for copies, once all of them have it. */
  forgetCopied(clock: Clock): Promise<void>;
}

const shared = new WeakMap<Database, SharedRows>();

/** Makes a connection's file share its rows from now on. */
export function shareRows(db: Database, rows: SharedRows): void {
  shared.set(db, rows);
}

/** Null for a connection whose transactions concern its file only. */
export function sharedRowsOf(db: Database): SharedRows | null {
  return shared.get(db) ?? null;
}

/**
 * Copies what other machines have committed; does nothing on a standalone appliance.
 * @returns whether there was anything
 */
export async function copyNewest(db: Database, clock: Clock): Promise<boolean> {
  return (await sharedRowsOf(db)?.copyNewest(clock)) ?? false;
}

/** What a machine of several needs to connect. Plain data, because it is sent to threads. */
export interface NodeSettings {
  /** URL of PostgreSQL. */
  url: string;
  /** Name of the node. */
  node: string;
}

/** A position in the history of all machines' commits. */
export interface Place {
  version: number;
  /**
   * Random text that distinguishes the commit from another with the same version; null for versions that are
   * only part of a copy that is being made.
   */
  mark: string | null;
}

/** A copy of shared rows, at the position of its newest one. */
export interface Copy extends Place {
  /** The cluster's id. */
  id: string;
  /** Id of the file, which tells two nodes of one name apart. */
  copyId: string;
}

/** Describes the copy in a file; undefined for a standalone appliance. */
export function findCopy(db: Database): Copy | undefined {
  return statement<Copy>(db, "SELECT id, version, mark, copy_id AS copyId FROM cluster_copy").get();
}

/** A node whose clock differs from PostgreSQL's by more neither starts nor bills. */
export const CLOCK_OFF_MS = 5_000;

/** How much the clocks of the processes that write a file's rows may differ: nodes have one clock each. */
export function clocksApartMs(db: Database): number {
  return findCopy(db) === undefined ? 0 : 2 * CLOCK_OFF_MS;
}

/** Keeps data that a node derives by itself (indexes) in step with shared rows written into its file. */
export interface Derived {
  /**
   * Called before the rows are written.
   * @param ids numbers of the `channels` and `posts` rows about to be written or deleted
   * @returns what to do afterwards, in the same transaction
   */
  begin(
    tx: Transaction,
    ids: { channels: readonly number[]; posts: readonly number[] },
  ): () => void;
}
