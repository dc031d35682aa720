import type { Serving } from "../../support/machine.ts";

const BUCKET = /^kanalog_write_lock_seconds_bucket\{le="([^"]+)",work="([^"]+)"\} (\d+)$/;
/** In seconds: no transaction should hold the write lock longer. */
const LONG = 0.02;

/** Transactions by the name of their work: how many ended within each of the histogram's bounds, in seconds. */
type Holds = Map<string, Map<number, number>>;

export async function readHolds(serving: Serving): Promise<Holds> {
  const holds: Holds = new Map();
  const text = await (await serving.get("/metrics")).text();
  for (const line of text.split("\n")) {
    const [, bound = "", work = "", count] = BUCKET.exec(line) ?? [];
    if (count === undefined) continue;
    const ofWork = holds.get(work) ?? new Map<number, number>();
    holds.set(
      work,
      ofWork.set(bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound), Number(count)),
    );
  }
  return holds;
}

/** What held the write lock for long between two readings, as notes of a row. */
export function longHolds(before: Holds, after: Holds): string[] {
  return [...after].flatMap(([work, counts]) => {
    const since = (bound: number): number =>
      (counts.get(bound) ?? 0) - (before.get(work)?.get(bound) ?? 0);
    const all = since(Number.POSITIVE_INFINITY);
    const long = all - since(LONG);
    if (long === 0) return [];
    const most = [...counts.keys()].toSorted((a, b) => a - b).find((bound) => since(bound) === all);
    return [`${work} held the lock for 20 to ${(most ?? 0) * 1000} ms, ${long} times of ${all}`];
  });
}
