import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Whom work is done for: an organization by its number, or a visitor without one by their network; null is
 * the appliance itself and its staff.
 */
export type Asker = number | string | null;

const asking = new AsyncLocalStorage<Asker>();

/** Runs work on behalf of somebody: resources that it waits for are shared fairly among askers. */
export function askedBy<T>(asker: Asker, work: () => T): T {
  return asking.run(asker, work);
}

/** The organization that the running code works for. */
export function presentAsker(): Asker {
  return asking.getStore() ?? null;
}
