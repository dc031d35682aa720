import { dayOf } from "../../values/moscow-time.ts";
import type { Job } from "./scheduler.ts";

export interface JobWork {
  closeDay(day: number): Promise<unknown>;
  recount(): Promise<unknown>;
  optimizeSearch(): Promise<unknown>;
  pruneUsage(today: number): Promise<unknown>;
  pruneDeliveries(): Promise<unknown>;
  /** Null where no folder is set. */
  backUp: (() => Promise<unknown>) | null;
}

export const BACKUP_JOB = "backup";

/** What the appliance does by the clock (decisions, sections 3 and 8). */
export function jobTable(work: JobWork): Job[] {
  const { backUp } = work;
  return [
    {
      name: "close-day",
      pattern: "10 0 * * *",
      run: (dueAt) => work.closeDay(dayOf(dueAt) - 1),
    },
    { name: "recount", pattern: "0 3 * * *", run: work.recount },
    { name: "optimize-search", pattern: "30 3 * * *", run: work.optimizeSearch },
    { name: "prune-usage", pattern: "20 0 * * *", run: (dueAt) => work.pruneUsage(dayOf(dueAt)) },
    { name: "prune-deliveries", pattern: "40 0 * * *", run: work.pruneDeliveries },
    ...(backUp === null ? [] : [{ name: BACKUP_JOB, pattern: "0 4 * * *", run: backUp }]),
  ];
}
