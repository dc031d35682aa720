import { describe, expect, test } from "bun:test";
import { createClusterLease } from "../../src/cluster/cluster-state.ts";
import { ALWAYS_OWN } from "../../src/upkeep/lease/lease.ts";
import { fakePorts } from "../support/fake-ports.ts";
import { hasPostgres } from "../support/postgres.ts";
import { one, oneClusterForAll } from "../support/two-nodes.ts";
import { until } from "../support/until.ts";

oneClusterForAll();

function leaseOf(owner: string) {
  const ports = fakePorts();
  const lease = createClusterLease(ALWAYS_OWN, { url: one.line.url, owner }, ports);
  return { ...lease, logged: () => [...ports.log.notices, ...ports.log.warnings] };
}

describe.skipIf(!hasPostgres)("a node that leaves", () => {
  test("during its first heartbeat frees the lease at once, and does not report that it has it", async () => {
    const [leaving, next] = [leaseOf("leaving"), leaseOf("next")];
    const before = one.line.connections;
    const beating = leaving.tick();
    await until(() => one.line.connections > before, "the connection of the first heartbeat");
    await leaving.leave();
    await beating;
    expect(leaving.isOwn()).toBe(false);
    await next.tick();
    expect(next.isOwn()).toBe(true);
    expect(leaving.logged()).toEqual([]);
    await next.leave();
  });

  test("neither takes the lease again nor tries to", async () => {
    const lease = leaseOf("left");
    await lease.leave();
    await lease.tick();
    expect(lease.isOwn()).toBe(false);
    expect(lease.logged()).toEqual([]);
  });
});
