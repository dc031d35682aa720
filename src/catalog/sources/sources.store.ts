import { and, asc, desc, eq, getTableColumns, gte, isNotNull, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { change, query } from "../../db/statement.ts";
import { message } from "../../values/messages/messages.ts";
import { type DoneFile, type Source, sourceDays, sourceFiles, sources } from "./sources.table.ts";

/** Oldest first. */
export const selectSources = query((db) => db.select().from(sources).orderBy(asc(sources.id))).all;

export const selectSource = query((db, { id }: { id: number }) =>
  db.select().from(sources).where(eq(sources.id, id)),
).one;

const ownerById = query((db, { id }: { id: number }) =>
  db.select({ owner: sources.owner }).from(sources).where(eq(sources.id, id)),
).one;

/** The process that runs a source, read synchronously; null if none does, or the source is gone. */
export function ownerNow(db: Database, id: number): string | null {
  return ownerById(db, { id })?.owner ?? null;
}

/** Names are compared ignoring the case of ASCII letters. */
export const selectSourceNamed = query((db, { name }: { name: string }) =>
  db.select().from(sources).where(eq(sources.name, name)),
).one;

export type NewSource = Pick<
  Source,
  "name" | "kind" | "settings" | "secret" | "schedule" | "createdAt"
>;

export const insertSource = change(
  (db, { name, kind, settings, secret, schedule, createdAt }: NewSource) =>
    db.insert(sources).values({ name, kind, settings, secret, schedule, createdAt }).returning(),
).one;

export async function updateSource(
  tx: Transaction,
  id: number,
  values: Partial<Source>,
): Promise<void> {
  await tx.builders.update(sources).set(values).where(eq(sources.id, id));
}

/** Also deletes its days, files, channels and album parts; the imported rows stay. */
export const deleteSource = change((db, { id }: { id: number }) =>
  db.delete(sources).where(eq(sources.id, id)),
).run;

/** Failure of a run whose process ended before it, until a later run ends. */
export const RUN_KILLED = message("sourceRunKilled");

/** A claim of a source, which nobody else has claimed since it was seen. */
interface SourceClaim {
  id: number;
  seenOwner: string | null;
  seenHeartbeatAt: number | null;
  owner: string;
  now: number;
}

/** Claims a source for a process. @returns undefined if another one was faster */
export const claimSeen = change((db, { id, seenOwner, seenHeartbeatAt, owner, now }: SourceClaim) =>
  db
    .update(sources)
    .set({
      owner,
      heartbeatAt: now,
      startedAt: now,
      isRequested: false,
      // A run that ended with its process may be the cause, so it counts as failed until one succeeds.
      failures: sql`${sources.failures} + (${sources.owner} IS NOT NULL)`,
      failure: sql`CASE WHEN ${sources.owner} IS NULL THEN ${sources.failure}
          ELSE ${JSON.stringify(RUN_KILLED)} END`,
    })
    .where(
      and(
        eq(sources.id, id),
        sql`${sources.owner} IS ${seenOwner}`,
        sql`${sources.heartbeatAt} IS ${seenHeartbeatAt}`,
      ),
    )
    .returning(),
).one;

export const saveSourceHeartbeat = change((db, { owner, now }: { owner: string; now: number }) =>
  db.update(sources).set({ heartbeatAt: now }).where(eq(sources.owner, owner)),
).run;

export const countRows = change((db, { sourceId, day, rows }: typeof sourceDays.$inferInsert) =>
  db
    .insert(sourceDays)
    .values({ sourceId, day, rows })
    .onConflictDoUpdate({
      target: [sourceDays.sourceId, sourceDays.day],
      set: { rows: sql`${sourceDays.rows} + excluded.rows` },
    }),
).run;

/** Earliest first. */
export const selectRowsByDay = query((db, { sourceId, from }: { sourceId: number; from: number }) =>
  db
    .select({ day: sourceDays.day, rows: sourceDays.rows })
    .from(sourceDays)
    .where(and(eq(sourceDays.sourceId, sourceId), gte(sourceDays.day, from))),
).all;

/** Each source's state for metrics, with its rows of a day. */
export const selectSourceCounts = query((db, { day }: { day: number }) =>
  db
    .select({
      name: sources.name,
      schedule: sources.schedule,
      isPaused: sources.isPaused,
      createdAt: sources.createdAt,
      position: sources.position,
      succeededAt: sources.succeededAt,
      failures: sources.failures,
      rows: sql<number>`coalesce(${sourceDays.rows}, 0)`,
    })
    .from(sources)
    .leftJoin(sourceDays, and(eq(sourceDays.sourceId, sources.id), eq(sourceDays.day, day))),
).all;

const { sourceId: _, ...fileColumns } = getTableColumns(sourceFiles);

/** A file as it stands in the folder. */
export type FolderFile = Pick<DoneFile, "name" | "bytes" | "modifiedAt">;

export const selectDoneFiles = query((db, { sourceId }: { sourceId: number }) =>
  db.select(fileColumns).from(sourceFiles).where(eq(sourceFiles.sourceId, sourceId)),
).all;

export async function putDoneFile(
  tx: Transaction,
  sourceId: number,
  { name, ...values }: DoneFile,
): Promise<void> {
  await tx.builders
    .insert(sourceFiles)
    .values({ sourceId, name, ...values })
    .onConflictDoUpdate({ target: [sourceFiles.sourceId, sourceFiles.name], set: values });
}

/** Files that were set aside, the newest first. */
export const selectSetAside = query(
  (db, { sourceId, limit }: { sourceId: number; limit: number }) =>
    db
      .select(fileColumns)
      .from(sourceFiles)
      .where(and(eq(sourceFiles.sourceId, sourceId), isNotNull(sourceFiles.fault)))
      .orderBy(desc(sourceFiles.modifiedAt))
      .limit(limit),
).all;
