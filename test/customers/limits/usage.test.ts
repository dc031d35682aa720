import { afterEach, beforeEach, expect, test } from "bun:test";
import { addUsage } from "../../../src/customers/limits/usage.store.ts";
import { createUsage } from "../../../src/customers/limits/usage.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { startOfDay } from "../../../src/values/moscow-time.ts";
import { type Appliance, type Customer, startAppliance } from "../../support/appliance.ts";

/** Requests that are counted in one commit. */

let appliance: Appliance;
let customer: Customer;
beforeEach(async () => {
  appliance = await startAppliance();
  customer = await appliance.customer();
});
afterEach(() => appliance.close());

/** Counts requests at once, each of which differs from a usual one as given. @returns the stored rows */
async function countTogether(...differences: object[]): Promise<unknown[]> {
  const { db } = appliance.app.domains;
  const { organizationId, keyId } = customer;
  let commits = 0;
  const usage = createUsage(
    db,
    (entries) => {
      commits += 1;
      return inTransaction(db, appliance.ports.clock, "usage", (tx) => addUsage(tx, entries, AT));
    },
    () => {},
  );
  const usual = { organizationId, keyId, method: "card", status: 200, quota: 10, units: 1 };
  const plan = { planStartedAt: AT, endsAt: Number.POSITIVE_INFINITY };
  const request = { ...usual, ...plan, isPart: false, copy: null };
  await Promise.all(differences.map((difference) => usage.charge({ ...request, ...difference })));
  expect(commits).toBe(1);
  return db
    .prepare(
      "SELECT method, status, day, requests, units FROM usage_days ORDER BY method, status, day",
    )
    .all();
}

/** The commit's clock. */
const AT = startOfDay(20_777);
const ROW = { method: "card", status: 200, day: 20_777, requests: 1, units: 1 };

test("requests of one commit are counted by method and status", async () => {
  const differences = [{}, { status: 404 }, { method: "list" }, {}];
  expect(await countTogether(...differences)).toEqual([
    { ...ROW, requests: 2, units: 2 },
    { ...ROW, status: 404 },
    { ...ROW, method: "list" },
  ]);
});

test("free requests and further units of a request are distinguished from billed ones in one commit", async () => {
  const part = { isPart: true };
  expect(await countTogether({}, { units: 0 }, part, part)).toEqual([
    { ...ROW, requests: 2, units: 3 },
  ]);
});

test("requests of one commit on either side of a plan's start are charged to the periods of their plans", async () => {
  await countTogether({}, { planStartedAt: AT - 1 }, {});
  const periods = appliance.app.domains.db.prepare(
    "SELECT started_at AS startedAt, used FROM usage_periods ORDER BY started_at",
  );
  expect(periods.all()).toEqual([
    { startedAt: AT - 1, used: 1 },
    { startedAt: AT, used: 2 },
  ]);
});
