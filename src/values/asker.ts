import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Whom work is done for: an organization, by its number, or a visitor who is in none, by their network; null is
 * the appliance itself and its staff.
 */
export type Asker = number | string | null;

const asking = new AsyncLocalStorage<Asker>();

/** Runs work for somebody: what it has to wait for is shared out between all that ask. */
export function askedBy<T>(asker: Asker, work: () => T): T {
  return asking.run(asker, work);
}

/** The organization that the running code works for. */
export function presentAsker(): Asker {
  return asking.getStore() ?? null;
}
