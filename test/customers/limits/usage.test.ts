import { afterEach, beforeEach, expect, test } from "bun:test";
import { addUsage } from "../../../src/customers/limits/usage.store.ts";
import { createUsage } from "../../../src/customers/limits/usage.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
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
      return inTransaction(db, appliance.ports.clock, "usage", (tx) => addUsage(tx, entries));
    },
    () => {},
  );
  const usual = { organizationId, keyId, method: "card", status: 200, day: 20_777 };
  const request = { ...usual, periodStartedAt: 0, quota: 10, units: 1, isPart: false, copy: null };
  await Promise.all(differences.map((difference) => usage.charge({ ...request, ...difference })));
  expect(commits).toBe(1);
  return db
    .prepare(
      "SELECT method, status, day, requests, units FROM usage_days ORDER BY method, status, day",
    )
    .all();
}

const ROW = { method: "card", status: 200, day: 20_777, requests: 1, units: 1 };

test("requests of one commit are counted by method, status and day", async () => {
  const differences = [{}, { status: 404 }, { day: 20_778 }, { method: "list" }, {}];
  expect(await countTogether(...differences)).toEqual([
    { ...ROW, requests: 2, units: 2 },
    { ...ROW, day: 20_778 },
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

test("requests of one commit on either side of a period's end are charged to their own periods", async () => {
  await countTogether({}, { periodStartedAt: 1 }, {});
  const periods = appliance.app.domains.db.prepare(
    "SELECT started_at AS startedAt, used FROM usage_periods ORDER BY started_at",
  );
  expect(periods.all()).toEqual([
    { startedAt: 0, used: 2 },
    { startedAt: 1, used: 1 },
  ]);
});
