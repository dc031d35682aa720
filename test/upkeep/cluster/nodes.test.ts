import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import type { Customer } from "../../support/appliance.ts";
import { type Cluster, type Node, startCluster } from "../../support/cluster.ts";
import { channel, imported } from "../../support/expectations.ts";
import { hasPostgres } from "../../support/postgres.ts";

const CARD = "/v1/msgr/channels/1/";

let cluster: Cluster;
let one: Node;
let other: Node;
let customer: Customer;

beforeEach(async () => {
  if (!hasPostgres) return;
  cluster = await startCluster();
  [one, other] = cluster.nodes as [Node, Node];
  await imported(one, "channels", [channel(1), channel(2)]);
  customer = await one.customer({ access: "read_write" });
});
afterEach(() => cluster?.close());

describe.skipIf(!hasPostgres)("two nodes", () => {
  test("a card is billed", async () => {
    const t = performance.now();
    for (let i = 0; i < 10; i++) {
      const { status } = await other.request(CARD, { key: customer.key });
      expect(status).toBe(200);
    }
    console.log(performance.now() - t);
    void COMMAND_LINE;
  });
});
