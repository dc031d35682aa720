import { and, asc, desc, exists, getTableColumns, lt, sql } from "drizzle-orm";
import { alias, type SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Database, Reading, Transaction } from "../../../db/database.ts";
import { allParams, change, eqParam, param, query } from "../../../db/query.ts";
import { type Message, storedMessage } from "../../../values/messages/messages.ts";
import { MOSCOW_ZONE } from "../../../values/moscow-time.ts";
import { nothingRecognized } from "../reading/recognized.ts";
import { DEFAULT_OPTIONS } from "../writing/import-options.ts";
import type { ReasonGroup } from "../writing/tally.ts";
import { importRuns, type RunProgress } from "./import-runs.table.ts";

type Stored = typeof importRuns.$inferSelect;

/** An import started in the console. */
export interface RecordedRun
  extends Omit<Stored, "summary" | "rejects" | "failure" | "owner" | "heartbeatAt"> {
  /** Whether the run is waiting for an earlier one: files are imported one after another. */
  isWaiting: boolean;
  summary: RunProgress;
  failure: Message | null;
}

/** A literal rather than a parameter, because the index of running imports only applies to this text. */
const isRunning = ({ state }: { state: SQLiteColumn }) => sql`${state} = 'running'`;

const add = change((db) =>
  db
    .insert(importRuns)
    .values({
      ...allParams("kind", "fileName", "person", "startedAt", "summary", "owner"),
      state: "running",
      rejects: [],
      heartbeatAt: param("startedAt"),
    })
    .returning({ id: importRuns.id }),
);

export async function insertRun(
  tx: Transaction,
  run: Pick<RecordedRun, "kind" | "fileName" | "person" | "startedAt" | "summary"> & {
    owner: string;
  },
): Promise<number> {
  const { id } = await add(tx).get({ ...run });
  return id;
}

const setProgress = change((db) =>
  db
    .update(importRuns)
    .set({ summary: param("summary") })
    .where(and(eqParam(importRuns.id, "id"), isRunning(importRuns))),
);

export async function saveProgress(
  tx: Transaction,
  progress: Pick<RecordedRun, "id" | "summary">,
): Promise<void> {
  await setProgress(tx).run({ ...progress });
}

const setEnd = change((db) =>
  db
    .update(importRuns)
    .set({ state: param("state"), finishedAt: param("endedAt"), failure: param("failure") })
    .where(eqParam(importRuns.id, "id")),
);

/** @param failure null if it succeeded */
export async function endRun(
  tx: Transaction,
  id: number,
  endedAt: number,
  failure: Message | null,
): Promise<void> {
  await setEnd(tx).run({
    id,
    endedAt,
    state: failure === null ? "done" : "failed",
    failure: failure === null ? null : JSON.stringify(failure),
  });
}

const setHeartbeat = change((db) =>
  db
    .update(importRuns)
    .set({ heartbeatAt: param("now") })
    .where(and(isRunning(importRuns), eqParam(importRuns.owner, "owner"))),
);

/** Records a heartbeat for the process's runs. */
export async function saveHeartbeat(tx: Transaction, owner: string, now: number): Promise<void> {
  await setHeartbeat(tx).run({ owner, now });
}

/** A run in progress or waiting, with its process. */
type OwnedRun = Pick<Stored, "id" | "owner" | "heartbeatAt">;

const running = query((db) =>
  db
    .select({
      id: importRuns.id,
      owner: importRuns.owner,
      heartbeatAt: importRuns.heartbeatAt,
    })
    .from(importRuns)
    .where(isRunning(importRuns))
    .orderBy(asc(importRuns.id)),
);

export function selectRunning(db: Database): Promise<OwnedRun[]> {
  return running(db).all();
}

const { owner: _owner, heartbeatAt: _heartbeatAt, ...columns } = getTableColumns(importRuns);

const earlier = alias(importRuns, "earlier");

/** Fields of a run as shown, including whether it is waiting for an earlier one. */
function runFields(db: Reading) {
  const earlierRuns = db
    .select({ id: earlier.id })
    .from(earlier)
    .where(and(isRunning(earlier), lt(earlier.id, importRuns.id)));
  const isWaiting = sql`${and(isRunning(importRuns), exists(earlierRuns))}`.mapWith(Boolean);
  return { ...columns, isWaiting };
}

const runById = query((db) =>
  db.select(runFields(db)).from(importRuns).where(eqParam(importRuns.id, "id")),
);

export async function selectRun(db: Database, id: number): Promise<RecordedRun | undefined> {
  const row = await runById(db).get({ id });
  return row && toRun(row);
}

const latestRuns = query((db) =>
  db.select(runFields(db)).from(importRuns).orderBy(desc(importRuns.id)).limit(param("limit")),
);

/** Latest first. */
export async function selectRuns(db: Database, limit: number): Promise<RecordedRun[]> {
  return (await latestRuns(db).all({ limit })).map(toRun);
}

type Row = Omit<Stored, "owner" | "heartbeatAt"> & { isWaiting: boolean };

function toRun({ rejects, ...row }: Row): RecordedRun {
  const { options, notes, ...counts } = row.summary;
  return {
    ...row,
    summary: {
      recognized: nothingRecognized(MOSCOW_ZONE),
      warnings: [],
      rejectsKept: 0,
      rejects: rejects.map((reject) => ({
        line: reject.line,
        column: reject.column,
        count: 1,
        value: null,
        fault: storedMessage("reason" in reject ? reject.reason : reject.fault),
      })),
      ...counts,
      ...(counts.rejects && { rejects: counts.rejects.map(storedGroup) }),
      ...(counts.warnings && { warnings: counts.warnings.map(storedGroup) }),
      options: { ...DEFAULT_OPTIONS, ...options },
      notes: notes.map(storedMessage),
    },
    failure: row.failure === null ? null : storedMessage(parsedOrText(row.failure)),
  };
}

function storedGroup(group: ReasonGroup): ReasonGroup {
  return { ...group, fault: storedMessage(group.fault) };
}

function parsedOrText(stored: string): Message | string {
  try {
    return JSON.parse(stored) as Message;
  } catch {
    return stored;
  }
}
