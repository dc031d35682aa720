import { named, tellOperator } from "../../customers/operator-events/operator-events.store.ts";
import { transaction } from "../../db/transaction.ts";
import { inEnglish, type Message } from "../../values/messages/messages.ts";
import { dayOf, HOUR_MS } from "../../values/moscow-time.ts";
import { changedBy, type ImportSummary } from "../imports/writing/import-summary.ts";
import {
  claimSeen,
  countRows,
  putDoneFile,
  saveSourceHeartbeat,
  selectSource,
  updateSource,
} from "./sources.store.ts";
import type { DoneFile, Source, SourceFault, SourcePosition } from "./sources.table.ts";

interface SourceEnd {
  id: number;
  owner: string;
  /** Null if it succeeded. */
  failure: Message | null;
  /**
   * How long to wait for the next run, because the other side asked for it or a file was still being
   * written; null to follow the schedule.
   */
  retryAfterMs: number | null;
  /** New position; null to keep the present one. */
  position: SourcePosition | null;
  /** Null if nothing was read. */
  summary: ImportSummary | null;
  rows: number;
}

/** @returns the source, or undefined if another process was faster, or it is gone */
const claimSource = transaction(
  "source-claim",
  (tx, clock, seen: Pick<Source, "id" | "owner" | "heartbeatAt">, owner: string) =>
    claimSeen(tx, {
      id: seen.id,
      seenOwner: seen.owner,
      seenHeartbeatAt: seen.heartbeatAt,
      owner,
      now: clock.now(),
    }),
);

/** Renews the heartbeat of all runs of a process. */
const sourceHeartbeat = transaction("source-heartbeat", (tx, clock, owner: string) =>
  saveSourceHeartbeat(tx, { owner, now: clock.now() }),
);

/** Records a run's outcome and progress. Does nothing if another process has taken the source. */
const endSource = transaction("source-end", async (tx, clock, end: SourceEnd) => {
  const source = await selectSource(tx, { id: end.id });
  if (source?.owner !== end.owner) return;
  const now = clock.now();
  const { failure, retryAfterMs, position, summary, rows } = end;
  await updateSource(tx, end.id, {
    owner: null,
    heartbeatAt: null,
    endedAt: now,
    failure,
    ...(failure === null
      ? { succeededAt: now, failures: 0, isNotified: false }
      : { failures: source.failures + 1, faults: withFault(source.faults, failure, now) }),
    retryAt: retryAfterMs === null ? null : now + retryAfterMs,
    ...(position !== null && { position }),
    ...(summary !== null && { summary }),
  });
  const facts = { source: named(source) };
  if (failure !== null && source.failures === 0 && !isRecent(source.faults, failure, now)) {
    await tellOperator(tx, now, "source.failed", { ...facts, error: inEnglish(failure) });
  }
  if (rows > 0) await countRows(tx, { sourceId: end.id, day: dayOf(now), rows });
  const changed = summary === null ? 0 : changedBy(summary);
  if (changed === 0) return;
  const { lagMs } = position ?? source.position;
  await tellOperator(tx, now, "source.read", {
    ...facts,
    rows: changed,
    rejected: summary?.rejected ?? 0,
    lag_seconds: lagMs === undefined ? null : lagMs / 1000,
  });
});

/**
 * Whether a fault was met within the last hour, so that a source that fails every other time is not told of each
 * time. The seconds that a messenger asks to wait make no other fault.
 */
function isRecent(faults: readonly SourceFault[], failure: Message, now: number): boolean {
  const gist = (fault: Message): string => inEnglish(fault).replace(/\d+/g, "");
  return faults.some((one) => one.to > now - HOUR_MS && gist(one.failure) === gist(failure));
}

const FAULTS_KEPT = 10;

/** The latest faults, the newest first; one that repeats is counted. */
function withFault(faults: readonly SourceFault[], failure: Message, now: number): SourceFault[] {
  const [last] = faults;
  const isSame = last !== undefined && Bun.deepEquals(last.failure, failure);
  const fault = isSame
    ? { ...last, to: now, runs: last.runs + 1 }
    : { failure, from: now, to: now, runs: 1 };
  return [fault, ...faults.slice(isSame ? 1 : 0)].slice(0, FAULTS_KEPT);
}

/** Releases a source whose run was interrupted, so that the next process to look runs it again. */
const releaseSource = transaction("source-end", async (tx, _clock, id: number, owner: string) => {
  const source = await selectSource(tx, { id });
  if (source?.owner !== owner) return;
  // A source that was paused meanwhile is not run again.
  const isRequested = source.isRequested || !source.isPaused;
  await updateSource(tx, id, { owner: null, heartbeatAt: null, isRequested });
});

/** Records that a file of a folder was imported or set aside, so that it is not read again. */
const fileDone = transaction(
  "source-file",
  async (tx, _clock, run: { id: number; owner: string }, file: DoneFile) => {
    if ((await selectSource(tx, { id: run.id }))?.owner === run.owner)
      await putDoneFile(tx, run.id, file);
  },
);

/** Changes to the state of runs, made by the process that runs a source; each in one transaction. */
export const sourceRunChanges = {
  claimSource,
  sourceHeartbeat,
  endSource,
  releaseSource,
  fileDone,
};

export interface Outcome extends Omit<SourceEnd, "id" | "owner"> {
  /** File of a folder that may still be being written: it and later files wait. Null if there is none. */
  unsettled: string | null;
  /** Files of a folder that could not be read, and why. */
  setAside: readonly { name: string; fault: Message }[];
}

/** Outcome of a run that found nothing new. */
export const NOTHING: Outcome = {
  failure: null,
  retryAfterMs: null,
  position: null,
  summary: null,
  rows: 0,
  unsettled: null,
  setAside: [],
};

export function failed(failure: Message): Outcome {
  return { ...NOTHING, failure };
}
