import { afterEach, beforeEach, expect, test } from "bun:test";
import { removeChannel } from "../../../src/catalog/manage/removals.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { cutEvents, nextPart } from "../../../src/push/webhooks/events/cut-events.ts";
import {
  channelWatchers,
  fitRows,
  selectChanging,
  setChannels,
} from "../../../src/push/webhooks/manage/watched-channels.store.ts";
import { webhookFaults } from "../../../src/upkeep/checks/customers.store.ts";
import { channel, imported } from "../../support/expectations.ts";
import { MINUTE_MS, numbers, type Pushing, startPushing } from "../../support/pushing.ts";

const CHANNELS = 1_000;
/** Most rows of `webhook_channels` that a step writes. */
const STEP_MAX = 100;
const OLD = numbers(1, 450);
/** Some channels of the old list stay. */
const NEW = numbers(401, 900);

let pushing: Pushing;
beforeEach(async () => {
  pushing = await startPushing();
  const rows = numbers(4, CHANNELS).map((id) => channel(id));
  await imported(pushing.appliance, "channels", rows);
  expect((await pushing.change({ channels: OLD })).status).toBe(200);
});
afterEach(() => pushing.close());

const db = () => pushing.appliance.app.domains.db;

function rowsOf(id = pushing.id): number[] {
  return db()
    .prepare("SELECT channel_id FROM webhook_channels WHERE webhook_id = ? ORDER BY channel_id")
    .raw()
    .all(id)
    .flat() as number[];
}

/** Begins a change of the list and makes so many steps of it, as a process does that is then killed. */
async function changeUntilKilled(channels: number[], steps: number): Promise<boolean> {
  const { clock } = pushing.appliance.ports;
  await inTransaction(db(), clock, "test", (tx) => setChannels(tx, pushing.id, channels));
  let isLeft = true;
  for (let made = 0; made < steps && isLeft; made++) {
    const before = new Set(rowsOf());
    isLeft = await inTransaction(db(), clock, "test", (tx) => fitRows(tx, pushing.id, () => true));
    expect(before.symmetricDifference(new Set(rowsOf())).size).toBeLessThanOrEqual(STEP_MAX);
  }
  return isLeft;
}

/** Puts the queued posts into events, as they are at this instant. @returns their posts */
async function cutNow(): Promise<unknown> {
  const { clock } = pushing.appliance.ports;
  const part = nextPart(db());
  for (const wanted of part?.wanted ?? []) {
    await inTransaction(db(), clock, "test", (tx) =>
      cutEvents(tx, wanted, part?.last ?? 0, clock.now(), new Map()),
    );
  }
  return db().prepare("SELECT posts FROM webhook_deliveries").raw().all().flat();
}

/** Five steps add rows, the sixth begins to remove others, and the last one finds nothing left. */
const STEPS = 10;

for (let steps = 0; steps <= STEPS; steps++) {
  test(`a change of a list that is killed after ${steps} steps shows the new list, makes events by the old or the new one, and is finished by the next tick`, async () => {
    const isLeft = await changeUntilKilled(NEW, steps);
    expect(isLeft || steps === 0).toBe(steps < STEPS);
    expect((await pushing.view()).channels).toEqual(NEW);
    expect(webhookFaults(db())).toEqual([]);
    await pushing.read([1], { channel: 1 });
    await pushing.read([2], { channel: 430 });
    await pushing.read([3], { channel: 900 });
    const events = await cutNow();
    expect(events).toEqual([steps < 6 ? "[1,2]" : "[2,3]"]);
    await pushing.pass(MINUTE_MS);
    expect(await selectChanging(db())).toBeNull();
    expect(rowsOf()).toEqual(NEW);
    expect(webhookFaults(db())).toEqual([]);
  });
}

test("two changes of one list at once end with the later list and its rows", async () => {
  await changeUntilKilled(NEW, 3);
  const [one, other] = await Promise.all([
    pushing.change({ channels: OLD }),
    pushing.change({ channels: NEW }),
  ]);
  expect([one.status, other.status]).toEqual([200, 200]);
  const { channels } = await pushing.view();
  expect([OLD, NEW]).toContainEqual(channels);
  expect(rowsOf()).toEqual(channels);
  expect(await selectChanging(db())).toBeNull();
});

test("channels that are merged or deleted while a list is changed are replaced in it, or left out", async () => {
  await changeUntilKilled(NEW, 1);
  const { clock } = pushing.appliance.ports;
  for (const [id, intoId] of [
    [880, null],
    [890, 950],
  ] as const) {
    await removeChannel(db(), clock, channelWatchers, { id, intoId }, COMMAND_LINE);
  }
  await pushing.pass(MINUTE_MS);
  const left = NEW.filter((id) => id !== 880).map((id) => (id === 890 ? 950 : id));
  expect((await pushing.view()).channels).toEqual(left);
  expect(rowsOf()).toEqual(left.toSorted((a, b) => a - b));
  expect(webhookFaults(db())).toEqual([]);
});

test("a change to the same list writes nothing", async () => {
  const written = () =>
    ["webhooks", "webhook_lists", "changing_lists", "webhook_channels", "audit_log"].map((table) =>
      db().prepare(`SELECT * FROM ${table}`).all(),
    );
  const before = written();
  expect((await pushing.change({ channels: OLD })).status).toBe(200);
  expect(written()).toEqual(before);
});
