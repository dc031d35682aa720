import { afterEach, beforeEach, expect, test } from "bun:test";
import { createWorkerLease, type UpkeepLease } from "../../../src/upkeep/lease/lease.ts";
import { type Lease, leaseChanges } from "../../../src/upkeep/lease/leases.store.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

let appliance: Appliance;
let lease: UpkeepLease;
/** Changes of the lease, each in a transaction of its own. */
let changes: Parameters<typeof createWorkerLease>[1];
beforeEach(async () => {
  appliance = await startAppliance();
  const { db } = appliance.app.domains;
  const { clock } = appliance.ports;
  changes = {
    takeLease: (owner: string, found: Lease) => leaseChanges.takeLease(db, clock, owner, found),
    beatLease: (owner: string) => leaseChanges.beatLease(db, clock, owner),
    leaveLease: (owner: string) => leaseChanges.leaveLease(db, clock, owner),
  };
  lease = createWorkerLease(db, changes, appliance.ports);
  await lease.tick();
});
afterEach(() => appliance.close());

const holders = () => appliance.app.domains.db.prepare("SELECT owner FROM leases").all();

test("a holder that was suspended for six seconds does no more upkeep until its next heartbeat", async () => {
  expect(lease.isOwn()).toBe(true);
  appliance.ports.clock.advance(5_999);
  expect(lease.isOwn()).toBe(true);
  appliance.ports.clock.advance(1);
  expect(lease.isOwn()).toBe(false);
  await lease.tick();
  expect(lease.isOwn()).toBe(true);
});

test("a holder whose lease was taken over does no more upkeep", async () => {
  appliance.app.domains.db.exec("UPDATE leases SET owner = 'elsewhere 1 other'");
  appliance.ports.clock.advance(1_500);
  await lease.tick();
  expect(lease.isOwn()).toBe(false);
});

test("a lease whose holder sent a heartbeat after it was found silent is not taken over", async () => {
  const { ports } = appliance;
  const { db } = appliance.app.domains;
  const HOLDER = "elsewhere 1 other";
  db.prepare("UPDATE leases SET owner = ?").run(HOLDER);
  const takingOver = createWorkerLease(
    db,
    {
      ...changes,
      async takeLease(...found) {
        await changes.beatLease(HOLDER);
        return changes.takeLease(...found);
      },
    },
    ports,
  );
  await takingOver.tick();
  ports.clock.advance(6_001);
  await takingOver.tick();
  expect(takingOver.isOwn()).toBe(false);
  expect(holders()).toEqual([{ owner: HOLDER }]);
});

test("a holder that leaves frees the lease, and does not take it again", async () => {
  await lease.leave();
  await lease.tick();
  expect(lease.isOwn()).toBe(false);
  expect(holders()).toEqual([{ owner: null }]);
});

test("a worker that leaves while it looks for a free lease does not take it, and does not report that it has it", async () => {
  await lease.leave();
  const { ports } = appliance;
  const { db } = appliance.app.domains;
  let taken = 0;
  const takeLease = async () => {
    taken += 1;
    return true;
  };
  const counted = { takeLease, beatLease: takeLease, leaveLease: takeLease };
  const leaving = createWorkerLease(db, counted, ports);
  const before = ports.log.notices.length;
  const looking = leaving.tick();
  await leaving.leave();
  await looking;
  expect(leaving.isOwn()).toBe(false);
  expect(taken).toBe(0);
  expect(ports.log.notices).toHaveLength(before);
});
