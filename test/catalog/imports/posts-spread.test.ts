import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { createMachine, type Machine } from "../../support/machine.ts";

const CHANNELS = 500;
const PUBLISHED = Date.parse("2026-11-19T00:00:00+03:00");
const TEXT = "Новости города: открыт мост, и движение по нему начнётся в понедельник. ".repeat(4);

let machine: Machine;
let appliance: Appliance;
beforeEach(async () => {
  machine = createMachine();
  appliance = await startAppliance({ KANALOG_DB: machine.database });
});
afterEach(async () => {
  await appliance.close();
  await machine.leave();
});

const importChannels = (count: number) =>
  appliance.importRows(
    "channels",
    Array.from({ length: count }, (_, at) => ({
      ...{ id: at + 1, handle: `channel_${at + 1}`, title: `Channel ${at + 1}`, subscribers: 10 },
    })),
  );

/** Posts a second apart, each of another channel, far from the previous one's in the indexes by channel. */
const spread = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    channel: 1 + (((first + at) * 211) % CHANNELS),
    msgr_post_id: first + at,
    text: `${TEXT}${first + at}`,
    published_at: new Date(PUBLISHED + 1000 * (first + at)).toISOString(),
  }));

/** Bytes that work writes to the write-ahead log. The open reader keeps the log from restarting. */
async function logged(work: () => Promise<unknown>): Promise<number> {
  const reader = machine.open();
  try {
    reader.pragma("wal_checkpoint(TRUNCATE)");
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM meta").all();
    await work();
    return statSync(`${machine.database}-wal`).size;
  } finally {
    reader.close();
  }
}

test("posts spread over all channels write less than four times their own size to the write-ahead log", async () => {
  await importChannels(CHANNELS);
  const former = spread(1, 10 * CHANNELS).map(({ text, ...post }) => post);
  await appliance.importRows("posts", former);
  const posts = spread(100_001, 4 * CHANNELS);
  const own = posts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const bytes = await logged(() => appliance.importRows("posts", posts));
  expect(bytes / own).toBeLessThan(4);
});

test("the last row wins if a file gives a post twice, even under different names of its channel", async () => {
  await importChannels(3);
  const at = { msgr_post_id: 5, published_at: "2026-11-19T10:00:00+03:00" };
  await appliance.importRows("posts", [
    { channel: 3, text: "other", ...at },
    { channel: "@channel_2", text: "first", ...at },
    { channel: 1, text: "other", ...at },
    { channel: 2, text: "second", ...at },
    { channel: "https://t.me/channel_2", text: "last", ...at },
  ]);
  const { body } = await appliance.get("/v1/msgr/channels/2/posts/");
  expect(body.results).toMatchObject([{ text: "last" }]);
});

test("posts of a channel that is deleted during their import are kept out", async () => {
  await importChannels(2);
  const posts = Array.from({ length: 1_000 }, (_, at) => ({
    ...{ channel: 2, msgr_post_id: at, text: "Text", published_at: "2026-11-19T10:00:00+03:00" },
  }));
  const { clock } = appliance.ports;
  const usual = clock.endOfTurn;
  let slices = 0;
  clock.endOfTurn = (begin) => {
    slices += 1;
    if (slices === 1) return usual(begin);
    clock.endOfTurn = usual;
    void appliance.app.domains.channels.delete(2, COMMAND_LINE).then(begin);
  };
  const { inserted, kept_out } = await appliance.importRows("posts", posts);
  expect(inserted + kept_out).toBe(1_000);
  expect(kept_out).toBeGreaterThan(100);
  expect((await appliance.get("/v1/msgr/channels/2/posts/")).status).toBe(404);
});
