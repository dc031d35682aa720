import { afterEach, beforeEach, expect, test } from "bun:test";
import { type BulkFile, createBulk } from "../../../src/catalog/exports/bulk.ts";
import type { BulkSelection } from "../../../src/catalog/exports/bulk-selection.ts";
import type { BulkTurn, ExportPart } from "../../../src/catalog/exports/export-part.ts";
import { type Charge, ROWS_PER_UNIT } from "../../../src/catalog/exports/paid-parts.ts";
import type { Position } from "../../../src/catalog/imports/kinds/exported-rows.ts";
import { storageUnavailable } from "../../../src/errors.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";

/** What is charged for an export, and how it ends, if reading fails or its client leaves. */

let appliance: Appliance;
beforeEach(async () => {
  appliance = await startAppliance();
});
afterEach(() => appliance.close());

const SELECTION: BulkSelection = {
  ...{ rows: "channels", format: "ndjson", from: null, to: null, isAd: null, channelId: null },
  ...{ kind: null, category: null, territories: null, aPlus: null, verified: null, text: null },
  ...{ subscribersMin: null, subscribersMax: null, media: null, viewsMin: null, found: null },
  metricsMin: {},
  removals: { number: 0, leftOutBefore: null },
};

/** A part with this many rows, the last of which is at a position. */
const part = (rows: number, last: Position, next: Position): ExportPart => ({
  content: Buffer.from("row\n".repeat(rows)),
  ...{ rows, last, next },
});

function start(
  read: (turn: BulkTurn) => Promise<ExportPart>,
  { after = null, charge = async () => null }: { after?: Position; charge?: Charge } = {},
): Promise<BulkFile> {
  const bulk = createBulk(appliance.app.domains.db, read, appliance.ports);
  return bulk.start(SELECTION, after, { organizationId: 1, charge });
}

async function textOf({ parts }: BulkFile): Promise<string> {
  let text = "";
  for await (const content of parts) text += Buffer.from(content).toString();
  return text;
}

const failing = async (): Promise<ExportPart> => {
  throw storageUnavailable(new Error("the disk is gone"));
};

test("an export that fails names the last row sent, whatever was scanned without a row since", async () => {
  const parts = [part(2, [5], [7]), part(0, null, [9])];
  const file = await start(async () => parts.shift() ?? failing());
  expect((await textOf(file)).split("\n").slice(2)).toEqual([
    expect.stringContaining('"cursor":"5"'),
    "",
  ]);
});

test("an export continued from a cursor that fails before its first row names that cursor", async () => {
  const parts = [part(0, null, [30])];
  const file = await start(async () => parts.shift() ?? failing(), { after: [20] });
  expect(await textOf(file)).toContain('"cursor":"20"');
});

test("a client that leaves while rows are read is not charged for them, and nothing more is read", async () => {
  const gate = Promise.withResolvers<ExportPart>();
  let reads = 0;
  let charged = 0;
  const file = await start(
    async () => {
      reads += 1;
      return reads === 1 ? part(ROWS_PER_UNIT, [1_000], [1_000]) : gate.promise;
    },
    {
      async charge() {
        charged += 1;
        return null;
      },
    },
  );
  expect((await file.parts.next()).done).toBe(false);
  const next = file.parts.next();
  file.close();
  gate.resolve(part(ROWS_PER_UNIT, [2_000], [2_000]));
  expect((await next).done).toBe(true);
  expect([reads, charged]).toEqual([2, 0]);
});

/** Reads an export whose every part takes its reader a time. */
async function readSlowly({ parts }: BulkFile, eachMs: number): Promise<string> {
  let text = "";
  for await (const content of parts) {
    text += Buffer.from(content).toString();
    appliance.ports.clock.advance(eachMs);
  }
  return text;
}

test("an export that is read at less than 64 KB a second over a minute ends, and names the last row", async () => {
  const read = ({ after }: BulkTurn): Promise<ExportPart> => {
    const at = (after?.[0] ?? 0) + 10;
    return Promise.resolve({ ...part(10, [at], [at]), content: Buffer.alloc(64 * 1024, "\n") });
  };
  const text = await readSlowly(await start(read), 1_001);
  expect(JSON.parse(text.trim())).toEqual({
    export: { code: "timeout", detail: expect.stringContaining("64 KB a second"), cursor: "600" },
  });
  let left = 200;
  const soon = (turn: BulkTurn) =>
    read(turn).then((one) => (left-- > 0 ? one : { ...one, next: null }));
  expect((await readSlowly(await start(soon), 999)).trim()).toBe("");
});

test("an export ends after an hour, and names the last row", async () => {
  const read = async ({ after }: BulkTurn): Promise<ExportPart> => {
    const at = (after?.[0] ?? 0) + 10;
    return { ...part(10, [at], [at]), content: Buffer.alloc(8 * 1024 ** 2, "\n") };
  };
  expect(await readSlowly(await start(read), 59_000)).toContain('"code":"timeout"');
});

test("exports that fail at their first row leave room for others", async () => {
  const bulk = createBulk(
    appliance.app.domains.db,
    async ({ after }) => (after === null ? failing() : part(1, [1], null)),
    appliance.ports,
  );
  const by = { organizationId: 1, charge: async () => null };
  for (let time = 0; time < 3; time++) {
    await expect(bulk.start(SELECTION, null, by)).rejects.toMatchObject({ code: "unavailable" });
  }
  expect(await textOf(await bulk.start(SELECTION, [0], by))).toBe("row\n");
});
