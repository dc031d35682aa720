import { afterEach, beforeEach, expect, test } from "bun:test";
import { createServer } from "node:net";
import { openDomains } from "../../src/app/domains.ts";
import { readConfig } from "../../src/config.ts";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import { systemPorts } from "../../src/ports/ports.ts";
import { fencedBlocks, readDocument } from "../support/documents.ts";
import { type Receiver, startReceiver } from "../support/https-receiver.ts";
import { createMachine, type Machine } from "../support/machine.ts";
import { until } from "../support/until.ts";
import { call, pushing, withCustomers } from "../support/webhook-journey.ts";

/** The billing of the guide, as pasted, beside the real process: a customer asks, and gets the plan. */

let machine: Machine;
let receiver: Receiver | null = null;
let billing: Bun.Subprocess | null = null;
beforeEach(() => {
  machine = createMachine();
});
afterEach(async () => {
  billing?.kill();
  await machine.leave();
  await receiver?.close();
});

const [PROGRAM] = fencedBlocks(readDocument("src/customers/customers.md"))
  .filter(({ info }) => info === "ts")
  .map(({ code }) => code);

/** A port on which nothing listens. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

test("an operator's billing of forty lines hears upgrade.requested and grants the plan", async () => {
  const [customer] = await withCustomers(machine, { customers: 1, channels: 1 });
  const port = await freePort();
  const statuses: number[] = [];
  // Ends TLS in front of the billing, which answers after the sender has its answer.
  const made = await startReceiver(({ headers, body }) => {
    void fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body }).then(
      ({ status }) => {
        statuses.push(status);
      },
    );
    return { status: 204 };
  });
  receiver = made;

  const key = await machine.run(
    ["staff", "key", "create", "--name", "billing", "--can", "customers", "--json"],
    pushing(),
  );
  expect(key.exitCode, key.notes).toBe(0);
  const url = `https://${made.host}:${made.port}/events`;
  const webhook = await machine.run(["operator-webhook", "create", url, "--json"], pushing());
  expect(webhook.exitCode, webhook.notes).toBe(0);

  const serving = await machine.serve(["serve"], pushing());
  billing = Bun.spawn([process.execPath, machine.write("billing.ts", PROGRAM ?? "")], {
    env: {
      ...process.env,
      OPERATOR: `${serving.address}/operator/v1`,
      OPERATOR_KEY: JSON.parse(key.out).key,
      WEBHOOK_SECRET: JSON.parse(webhook.out).secret,
      BILLING_PORT: String(port),
    },
  });
  const forged = { method: "POST", body: "{}", headers: { "x-service-signature": "t=1,v1=0" } };
  await until(
    () =>
      fetch(`http://127.0.0.1:${port}/`, forged).then(
        ({ status }) => status === 401,
        () => false,
      ),
    "the billing, which refuses what the appliance did not sign",
  );

  const config = readConfig({ KANALOG_DB: machine.database, KANALOG_LOG_LEVEL: "silent" });
  const { db, accounts } = await openDomains(config, systemPorts(config));
  const { organization: organizationId } = customer;
  await accounts.requestPlan({ organizationId, plan: "growth", note: "" }, COMMAND_LINE);
  db.close();

  const me = () => call(serving, customer.key, "GET", "/v1/me/");
  await until(async () => (await me()).body["api_tariff"] === "growth", "the plan");
  await until(() => statuses.length > 0, "the answer of the billing");
  expect(statuses).toEqual([204]);
  const [granted] = machine.query<{ ends: number; open: number }>(
    "SELECT plan_ends_at AS ends, (SELECT count(*) FROM plan_requests) AS open FROM organizations",
  );
  expect(granted?.ends).toBeGreaterThan(Date.now());
  expect(granted?.open).toBe(0);
});
