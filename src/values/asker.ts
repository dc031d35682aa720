import { AsyncLocalStorage } from "node:async_hooks";

/** The organization that work is done for; null is the appliance itself, its staff, and pages that call no method. */
export type Asker = number | null;

const asking = new AsyncLocalStorage<Asker>();

/** Runs work for an organization: what it has to wait for is shared out between all that ask. */
export function askedBy<T>(organizationId: number, work: () => T): T {
  return asking.run(organizationId, work);
}

/** Whoever the running code works for. */
export function presentAsker(): Asker {
  return asking.getStore() ?? null;
}
