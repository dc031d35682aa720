import { AsyncLocalStorage } from "node:async_hooks";
import type { Message } from "./messages/messages.ts";

/**
 * Whom the appliance works for, so that scarce resources are shared fairly: an organization, by its number;
 * a visitor of the site without one, by the network; null for the appliance itself and its staff.
 */
export type Tenant = number | string | null;

/** What an organization's work takes: processor time of reading threads, and time of the write lock. */
export type TimeKind = "database" | "lock";

export interface TimeBudget {
  charge(kind: TimeKind, tookMs: number): void;
  /** Why no more work may begin now; null if it may. */
  refusal(kind: TimeKind): { reason: Message; retryAfterS: number } | null;
  /** How long endless work, such as an export, should pause to leave time for everything else. */
  pauseMs(kind: TimeKind): number;
  /** Whether the organization's recent queries took hardly any time. */
  isLight(): boolean;
}

export interface Work {
  readonly tenant: Tenant;
  /** Null if its time is not limited. */
  readonly budget: TimeBudget | null;
  /** Set with its first task on a thread: the last kind of time that it took; null before. */
  begun: TimeKind | null;
}

const works = new AsyncLocalStorage<Work>();

/** Runs work for a tenant: whatever it calls or awaits finds it by `currentWork`. */
export function runFor<T>(tenant: Tenant, budget: TimeBudget | null, work: () => T): T {
  // A page that calls methods for its own organization remains one piece of work.
  if (works.getStore()?.tenant === tenant) return work();
  return works.run({ tenant, budget, begun: null }, work);
}

/** The work that the running code belongs to; the appliance's own outside `runFor`. */
export function currentWork(): Work {
  return works.getStore() ?? { tenant: null, budget: null, begun: null };
}

export function currentTenant(): Tenant {
  return currentWork().tenant;
}

/** A function that belongs to the current work wherever it is called, such as from a stream. */
export function inCurrentWork<Arguments extends unknown[], Result>(
  call: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const work = currentWork();
  return (...given) => works.run(work, () => call(...given));
}
