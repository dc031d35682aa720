import { afterEach, beforeEach, expect, test } from "bun:test";
import { readCardsAhead } from "../../../src/catalog/channels/channels.store.ts";
import { createCardsReadAhead } from "../../../src/catalog/channels/stored-card.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

test("a turn reads the public channels after a number, up to the last one", async () => {
  await imported(appliance, "channels", [
    channel(3),
    channel(8),
    channel(9, { is_public: "false" }),
  ]);
  const { db } = appliance.app.domains;
  expect(readCardsAhead(db, 0)).toBe(8);
  expect(readCardsAhead(db, 3)).toBe(8);
  expect(readCardsAhead(db, 8)).toBeNull();
});

test("each turn continues where the one before ended, and nothing is read after the last", async () => {
  const reads: number[] = [];
  const read = async (afterId: number): Promise<number | null> => {
    reads.push(afterId);
    return afterId === 8 ? null : 8;
  };
  const { tick } = createCardsReadAhead(read, appliance.ports.log);
  for (let turn = 0; turn < 4; turn++) await tick();
  expect(reads).toEqual([0, 8]);
});

test("if the file cannot be read, the read-ahead ends with a warning", async () => {
  let reads = 0;
  const read = async (): Promise<number | null> => {
    reads += 1;
    throw new Error("disk I/O error");
  };
  const { tick } = createCardsReadAhead(read, appliance.ports.log);
  await tick();
  await tick();
  expect(reads).toBe(1);
  expect(appliance.ports.log.warnings).toHaveLength(1);
});
