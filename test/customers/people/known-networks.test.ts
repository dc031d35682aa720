import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  isKnownNetwork,
  networkHash,
  noteNetwork,
} from "../../../src/customers/people/sessions.ts";
import { retain } from "../../../src/upkeep/retention/retain.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson } from "../../support/visitor.ts";
import { DAY_MS } from "../../support/webhook-calls.ts";

/** Remembering the networks that people sign in from. */

const ADA = "ada@example.com";
const KEY = "a key of this test";
const HOME = "203.0.113.7";

let appliance: Appliance;
let personId: string;
beforeEach(async () => {
  appliance = await startAppliance();
  await addPerson(appliance, { email: ADA });
  const found = "SELECT id FROM people";
  personId = (appliance.app.domains.db.prepare(found).get() as { id: string }).id;
});
afterEach(() => appliance.close());

function note(network: string): Promise<void> {
  const { db, clock } = appliance.app.domains;
  return noteNetwork(db, clock, { personId, network: networkHash(KEY, network) });
}

function isKnown(network: string, email = ADA, key = KEY): Promise<boolean> {
  const { db, clock } = appliance.app.domains;
  return isKnownNetwork(db, clock.now(), { email, network: networkHash(key, network) });
}

const notedAt = (): number[] =>
  appliance.app.domains.db
    .prepare("SELECT signed_in_at FROM known_networks ORDER BY signed_in_at")
    .raw()
    .all()
    .flat() as number[];

test("a network is known only for the person who signed in there, ignoring the address's case", async () => {
  await addPerson(appliance, { email: "bob@example.com" });
  await note(HOME);
  expect(await isKnown(HOME)).toBe(true);
  expect(await isKnown(HOME, "Ada@Example.com")).toBe(true);
  expect(await isKnown("203.0.113.8")).toBe(false);
  for (const email of ["bob@example.com", "nobody@example.com", ""]) {
    expect(await isKnown(HOME, email), email).toBe(false);
  }
});

test("a network is stored as a hash with the installation's key", async () => {
  await note(HOME);
  expect(await isKnown(HOME, ADA, "another key")).toBe(false);
  const rows = appliance.app.domains.db.prepare("SELECT network FROM known_networks").all();
  expect(JSON.stringify(rows)).not.toContain(HOME);
  expect((rows as { network: Buffer }[])[0]?.network).toHaveLength(32);
});

test("a network is recorded at most once a day", async () => {
  const { clock } = appliance.ports;
  const first = clock.now();
  await note(HOME);
  clock.advance(DAY_MS - 1);
  await note(HOME);
  expect(notedAt()).toEqual([first]);
  clock.advance(1);
  await note(HOME);
  expect(notedAt()).toEqual([first + DAY_MS]);
});

test("a network is known for 180 days, and then removed", async () => {
  const { clock } = appliance.ports;
  await note(HOME);
  clock.advance(180 * DAY_MS - 1);
  expect(await isKnown(HOME)).toBe(true);
  clock.advance(1);
  expect(await isKnown(HOME)).toBe(false);
  await retain(appliance.app.domains.db, clock);
  expect(notedAt()).toEqual([]);
});

test("a person's latest 20 networks are known", async () => {
  const { clock } = appliance.ports;
  for (let at = 0; at < 21; at += 1) {
    await note(`203.0.113.${at}`);
    clock.advance(1_000);
  }
  await retain(appliance.app.domains.db, clock);
  expect(notedAt()).toHaveLength(20);
  expect(await isKnown("203.0.113.0")).toBe(false);
  expect(await isKnown("203.0.113.1")).toBe(true);
});
