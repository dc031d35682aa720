import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { addPerson, signedInVisitor } from "../../support/visitor.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
  await addPerson(appliance, { email: "ada@example.com" });
  await appliance.app.scheduler.runDue();
});
afterEach(() => appliance.close());

const count = (table: string, where = "true") =>
  appliance.app.domains.db
    .prepare<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${where}`)
    .get()?.n;

test("expired sessions and password links are removed at night, and valid ones stay", async () => {
  const { db, people } = appliance.app.domains;
  for (let times = 0; times < 60; times++) await signedInVisitor(appliance, "ada@example.com");
  await people.passwordLink({ email: "ada@example.com", isTrusted: true });
  // The sign-in library sets times by the machine's clock.
  const at = (ms: number) => new Date(appliance.ports.clock.now() + ms).toISOString();
  db.exec(`UPDATE sessions SET expires_at = iif(rowid % 10 = 0, '${at(2 * DAY_MS)}', '${at(0)}')`);
  db.exec(`UPDATE verifications SET expires_at = '${at(0)}'`);
  expect([count("sessions"), count("verifications")]).toEqual([60, 1]);
  appliance.ports.clock.advance(DAY_MS);
  await appliance.app.scheduler.runDue();
  expect([count("sessions"), count("verifications")]).toEqual([6, 0]);
  expect(count("sessions", "rowid % 10 = 0")).toBe(6);
});
