import { beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../src/customers/audit/audit-log.ts";
import type { Node } from "../support/cluster.ts";
import { type OperatorApi, operatorApi } from "../support/operator-api.ts";
import { hasPostgres } from "../support/postgres.ts";
import { DAY_MS } from "../support/pushing.ts";
import { cluster, newClusterEachTest, one, other } from "../support/two-nodes.ts";

/** The operator's API and its events, whichever node is asked and whichever one sends. */

newClusterEachTest();
let operator: OperatorApi;

beforeEach(async () => {
  if (!hasPostgres) return;
  operator = await operatorApi(one, ["read", "customers", "system"]);
  const url = "https://billing.example.com/events";
  expect((await operator.post("operator-webhooks/", { url })).status).toBe(201);
  await cluster.copyAll();
});

/** A request to a node with the key that the other one made. */
const onNode = (node: Node, path: string, body: object, headers: Record<string, string> = {}) =>
  node.request(`/operator/v1/${path}`, {
    ...{ method: "POST", key: operator.key, body: JSON.stringify(body) },
    headers: { "content-type": "application/json", ...headers },
  });

/** Lets minutes pass in which nodes do what is due, at the same time. */
async function pass(minutes: number, nodes: readonly Node[] = cluster.nodes): Promise<void> {
  for (let time = 0; time < minutes; time++) {
    cluster.ports.clock.advance(60_000);
    await Promise.all(nodes.map(({ app }) => app.push.runDue()));
    await cluster.copyAll();
  }
}

/** Events that were sent, with the organizations that they are about. */
const sent = (): string[] =>
  cluster.ports.network.posts
    .map(({ body }) => JSON.parse(body))
    .map(({ event, organization }) => `${event} ${organization?.name}`)
    .toSorted();

describe.skipIf(!hasPostgres)("events of the operator", () => {
  test("that both nodes cause are sent once each, while both nodes send", async () => {
    expect((await onNode(one, "organizations/", { name: "A", plan: "start" })).status).toBe(201);
    expect((await onNode(other, "organizations/", { name: "B", plan: "test" })).status).toBe(201);
    await pass(3);
    expect(sent()).toEqual(["organization.created A", "organization.created B"]);
  });

  test("are sent by the other node if the one that caused them is gone", async () => {
    expect((await onNode(one, "organizations/", { name: "A", plan: "start" })).status).toBe(201);
    await other.copy();
    await pass(4, [other]);
    expect(sent()).toEqual(["organization.created A"]);
  });

  test("of a plan that ends are sent once, although both nodes look for them", async () => {
    const { accounts } = one.app.domains;
    const { id } = await accounts.createOrganization({ name: "A", plan: "start" }, COMMAND_LINE);
    const endsAt = cluster.ports.clock.now() + 8 * DAY_MS;
    await accounts.givePlan(id, "growth", endsAt, COMMAND_LINE);
    await cluster.copyAll();
    await pass(1);
    cluster.ports.clock.advance(DAY_MS);
    await pass(2);
    cluster.ports.clock.advance(7 * DAY_MS);
    await pass(2);
    expect(sent().filter((event) => event.startsWith("plan."))).toEqual([
      "plan.ended A",
      "plan.ending A",
    ]);
  });
});

describe.skipIf(!hasPostgres)("an Idempotency-Key", () => {
  test("holds on all nodes: one carries the request out, the other gives its answer", async () => {
    const once = { "idempotency-key": "order 17" };
    const body = { name: "A", plan: "start" };
    const made = await onNode(one, "organizations/", body, once);
    expect(made.status).toBe(201);
    await other.copy();
    const again = await onNode(other, "organizations/", body, once);
    expect([again.status, again.body]).toEqual([201, made.body]);
    const differs = await onNode(other, "organizations/", { ...body, name: "B" }, once);
    expect(differs.status).toBe(409);
  });
});
