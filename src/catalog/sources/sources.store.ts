import { and, asc, eq, getTableColumns, gte, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../db/database.ts";
import { allParams, change, eqParam, param, query, queryNow } from "../../db/query.ts";
import { message } from "../../values/messages/messages.ts";
import { type Source, sourceDays, sourceFiles, sources } from "./sources.table.ts";

const all = query((db) => db.select().from(sources).orderBy(asc(sources.id)));

/** Oldest first. */
export function selectSources(db: Database): Promise<Source[]> {
  return all(db).all();
}

const byId = query((db) => db.select().from(sources).where(eqParam(sources.id, "id")));

export function selectSource(db: Database, id: number): Promise<Source | undefined> {
  return byId(db).get({ id });
}

const ownerById = queryNow((db) =>
  db.select({ owner: sources.owner }).from(sources).where(eqParam(sources.id, "id")),
);

/** The process that runs a source, read synchronously; null if none does, or the source is gone. */
export function ownerNow(db: Database, id: number): string | null {
  return ownerById(db).get({ id })?.owner ?? null;
}

const byName = query((db) => db.select().from(sources).where(eqParam(sources.name, "name")));

/** Names are compared ignoring the case of ASCII letters. */
export function selectSourceNamed(db: Database, name: string): Promise<Source | undefined> {
  return byName(db).get({ name });
}

export type NewSource = Pick<
  Source,
  "name" | "kind" | "settings" | "secret" | "schedule" | "createdAt"
>;

const add = change((db) =>
  db
    .insert(sources)
    .values(allParams("name", "kind", "settings", "secret", "schedule", "createdAt"))
    .returning(),
);

export function insertSource(tx: Transaction, source: NewSource): Promise<Source> {
  return add(tx).get({ ...source });
}

export async function updateSource(
  tx: Transaction,
  id: number,
  values: Partial<Source>,
): Promise<void> {
  await tx.builders.update(sources).set(values).where(eq(sources.id, id));
}

const remove = change((db) => db.delete(sources).where(eqParam(sources.id, "id")));

/** Also deletes its days, files, channels and album parts; the imported rows stay. */
export async function deleteSource(tx: Transaction, id: number): Promise<void> {
  await remove(tx).run({ id });
}

/** Unchanged since the claiming process read it: nobody else has claimed it in between. */
const asSeen = and(
  eqParam(sources.id, "id"),
  sql`${sources.owner} IS ${param("seenOwner")}`,
  sql`${sources.heartbeatAt} IS ${param("seenHeartbeatAt")}`,
);

/** Failure of a run whose process ended before it, until a later run ends. */
export const RUN_KILLED = message("sourceRunKilled");

const claim = change((db) =>
  db
    .update(sources)
    .set({
      owner: param("owner"),
      heartbeatAt: param("now"),
      startedAt: param("now"),
      isRequested: false,
      // A run that ended with its process may be the cause, so it counts as failed until one succeeds.
      failures: sql`${sources.failures} + (${sources.owner} IS NOT NULL)`,
      failure: sql`CASE WHEN ${sources.owner} IS NULL THEN ${sources.failure}
        ELSE ${JSON.stringify(RUN_KILLED)} END`,
    })
    .where(asSeen)
    .returning(),
);

/** Claims a source for a process. @returns undefined if another one was faster */
export function claimSeen(
  tx: Transaction,
  seen: Pick<Source, "id" | "owner" | "heartbeatAt">,
  by: { owner: string; now: number },
): Promise<Source | undefined> {
  const { id, owner: seenOwner, heartbeatAt: seenHeartbeatAt } = seen;
  return claim(tx).get({ ...by, id, seenOwner, seenHeartbeatAt });
}

const heartbeat = change((db) =>
  db
    .update(sources)
    .set({ heartbeatAt: param("now") })
    .where(eqParam(sources.owner, "owner")),
);

export async function saveSourceHeartbeat(
  tx: Transaction,
  by: { owner: string; now: number },
): Promise<void> {
  await heartbeat(tx).run(by);
}

const addRows = change((db) =>
  db
    .insert(sourceDays)
    .values(allParams("sourceId", "day", "rows"))
    .onConflictDoUpdate({
      target: [sourceDays.sourceId, sourceDays.day],
      set: { rows: sql`${sourceDays.rows} + excluded.rows` },
    }),
);

/** Counts rows read on a day. */
export async function countRows(
  tx: Transaction,
  counted: { sourceId: number; day: number; rows: number },
): Promise<void> {
  await addRows(tx).run(counted);
}

const days = query((db) =>
  db
    .select({ day: sourceDays.day, rows: sourceDays.rows })
    .from(sourceDays)
    .where(and(eqParam(sourceDays.sourceId, "sourceId"), gte(sourceDays.day, param("from")))),
);

/** Days with rows, earliest first. */
export function selectRowsByDay(
  db: Database,
  sourceId: number,
  from: number,
): Promise<{ day: number; rows: number }[]> {
  return days(db).all({ sourceId, from });
}

const counts = query((db) =>
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
    .leftJoin(sourceDays, and(eq(sourceDays.sourceId, sources.id), eqParam(sourceDays.day, "day"))),
);

/** Each source's state for metrics, with its rows of a day. */
export function selectSourceCounts(db: Database, day: number) {
  return counts(db).all({ day });
}

const { sourceId: _, ...fileColumns } = getTableColumns(sourceFiles);
const files = query((db) =>
  db.select(fileColumns).from(sourceFiles).where(eqParam(sourceFiles.sourceId, "sourceId")),
);

export type DoneFile = Omit<typeof sourceFiles.$inferSelect, "sourceId">;

export function selectDoneFiles(db: Database, sourceId: number): Promise<DoneFile[]> {
  return files(db).all({ sourceId });
}

export async function putDoneFile(
  tx: Transaction,
  sourceId: number,
  file: DoneFile,
): Promise<void> {
  await tx.builders
    .insert(sourceFiles)
    .values({ sourceId, ...file })
    .onConflictDoUpdate({
      target: [sourceFiles.sourceId, sourceFiles.name],
      set: { bytes: file.bytes, modifiedAt: file.modifiedAt },
    });
}
