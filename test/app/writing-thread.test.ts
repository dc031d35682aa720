import { afterEach, beforeEach, expect, test } from "bun:test";
import { type Appliance, startAppliance } from "../support/appliance.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { operatorApi } from "../support/operator-api.ts";
import { staffVisitor } from "../support/visitor.ts";

let machine: Machine;
let appliance: Appliance;
beforeEach(async () => {
  machine = createMachine();
  appliance = await startAppliance({
    KANALOG_DB: machine.database,
    KANALOG_SECRET: "a secret text of at least thirty-two characters",
  });
});
afterEach(async () => {
  await appliance.close();
  await machine.leave();
});

test("changes by people are written by threads, never by the thread that serves", async () => {
  const { db, accounts } = appliance.app.domains;
  const { organizationId } = await appliance.customer();
  const staff = await staffVisitor(appliance);
  // SQLite counts the rows that a connection itself has written.
  const written = () => db.prepare("SELECT total_changes() AS n").get();
  const before = written();
  const organization = `/staff/organizations/${organizationId}/`;
  for (const [path, fields] of [
    ["/staff/organizations/", { action: "create", name: "New", plan: "test" }],
    [organization, { action: "plan", plan: "growth", ends: "" }],
    [organization, { action: "archive" }],
    [organization, { action: "restore" }],
    ["/staff/jobs/", { action: "run", job: "recount" }],
  ] as const) {
    expect((await staff.post(path, fields)).status, path).toBe(303);
  }
  await appliance.app.scheduler.stop();
  expect(await accounts.organization(organizationId)).toMatchObject({ plan: "growth" });
  expect(written()).toEqual(before);
});

test("lists for the operator come from threads that read, as requests and as pages", async () => {
  const { organizationId } = await appliance.customer();
  const { get } = await operatorApi(appliance, ["read"]);
  for (const path of [
    ...["organizations/", "webhooks/", `webhooks/?organization=${organizationId}`, "audit/"],
    ...[`organizations/${organizationId}/usage/`, `alerts/?organization=${organizationId}`],
  ]) {
    expect((await get(path)).status, path).toBe(200);
  }
  const staff = await staffVisitor(appliance);
  for (const path of ["start/", "organizations/?q=acme", "webhooks/?disabled=yes"]) {
    expect((await staff.get(`/staff/${path}`)).status, path).toBe(200);
  }
});
