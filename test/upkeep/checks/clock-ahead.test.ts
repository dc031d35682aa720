import { afterEach, beforeEach, expect, test } from "bun:test";
import { openDatabase } from "../../../src/db/open-database.ts";
import { checkDatabase } from "../../../src/upkeep/checks/check.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";
import { createMachine, type Machine } from "../../support/machine.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";
import { type Call, callsWith, created, DAY_MS, deliverPost } from "../../support/webhook-calls.ts";

const AHEAD_MS = 400 * DAY_MS;

let machine: Machine;
let appliance: Appliance;
beforeEach(async () => {
  machine = createMachine();
  appliance = await startAppliance();
});
afterEach(async () => {
  await appliance.close();
  await machine.leave();
});

/** Faults of the database in its present state. */
function faults(): string[] {
  const copy = machine.path(`${crypto.randomUUID()}.db`);
  appliance.app.domains.db.copyTo(copy);
  const reader = openDatabase(copy, appliance.ports.clock, "reader");
  const found: string[] = [];
  checkDatabase(reader, (result) => found.push(...result.faults));
  reader.close();
  return found;
}

/** Moves the clock, and does the work that is due then. */
async function moveBy(durationMs: number): Promise<void> {
  appliance.ports.clock.advance(durationMs);
  await appliance.app.push.runDue();
  await appliance.app.scheduler.runDue();
  await appliance.app.mailer.runDue();
}

/** An organization with a key, a webhook that delivers, and a person who signs in. */
async function newCustomer(number: number): Promise<{ key: string; call: Call }> {
  const { key } = await appliance.customer({ access: "read_write" });
  const call = callsWith(appliance, key);
  await created(call);
  const email = `person-${number}@example.com`;
  await addPerson(appliance, { email });
  await signedInVisitor(appliance, email);
  return { key, call };
}

/** Imports channels and a post that is sent, tests a webhook, and makes a billed request. */
async function use(number: number, { key, call }: { key: string; call: Call }): Promise<void> {
  await imported(appliance, "channels", [channel(1), channel(2, { subscribers: number })]);
  const day = new Date(appliance.ports.clock.now()).toISOString().slice(0, 10);
  await imported(appliance, "stats", [{ channel: 1, day, subscribers: number }]);
  await deliverPost(appliance, number);
  await call("POST", "1/test/");
  expect((await appliance.get("/v1/msgr/channels/1/", key)).status).toBe(200);
}

for (const [what, isUsedAhead] of [
  ["and the appliance was used", true],
  ["and nobody used the appliance", false],
] as const) {
  test(`a clock that was 400 days ahead, ${what} then, leaves a database without faults`, async () => {
    await imported(appliance, "channels", [channel(1), channel(2)]);
    const first = await newCustomer(1);
    await use(1, first);
    await moveBy(DAY_MS);

    await moveBy(AHEAD_MS);
    const second = isUsedAhead ? await newCustomer(2) : null;
    if (second !== null) for (const [at, one] of [first, second].entries()) await use(2 + at, one);
    // A night closes a day and, by this clock, removes what is old.
    await moveBy(DAY_MS);
    expect(faults()).toEqual([]);

    await moveBy(-AHEAD_MS);
    expect(faults()).toEqual([]);
    await use(4, first);
    if (second !== null) await use(5, second);
    await use(6, await newCustomer(3));
    await moveBy(DAY_MS);
    expect(faults()).toEqual([]);
    expect(appliance.ports.log.errors).toEqual([]);
  });
}
