import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Whom the appliance works for, so that scarce resources are shared fairly: an organization, by its number;
 * a visitor of the site without one, by the network; null for the appliance itself and its staff.
 */
export type Tenant = number | string | null;

const tenants = new AsyncLocalStorage<Tenant>();

/** Runs work for a tenant: whatever it calls or awaits finds the tenant by `currentTenant`. */
export function runFor<T>(tenant: Tenant, work: () => T): T {
  return tenants.run(tenant, work);
}

/** The tenant whom the running code works for; null outside `runFor`. */
export function currentTenant(): Tenant {
  return tenants.getStore() ?? null;
}
