import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { recount } from "../../../src/catalog/directory/recount.ts";
import { IMPORT_KIND_NAMES } from "../../../src/catalog/imports/import-kinds.ts";
import { type Answer, type Appliance, startAppliance } from "../../support/appliance.ts";
import { pathOfNext } from "../../support/expectations.ts";
import { exported } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";
import { type OddCatalog, oddCatalog, oddRequests } from "../../support/odd-catalog.ts";
import { webp } from "../../support/webp.ts";

const REQUESTS = 500;

let source: Appliance;
let copy: Appliance;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-test-"));
  writeFileSync(join(folder, "news.webp"), webp(500, 500));
  [source, copy] = [await startAppliance(), await startAppliance()];
});
afterEach(async () => {
  await Promise.all([source.close(), copy.close()]);
  rmSync(folder, { recursive: true });
});

async function fill(appliance: Appliance, catalog: OddCatalog): Promise<void> {
  for (const kind of IMPORT_KIND_NAMES) {
    const rows = catalog[kind].map((row) => JSON.stringify(row)).join("\n");
    const { rejects } = await importText(appliance, kind, rows, { format: "ndjson", folder });
    expect(rejects).toEqual([]);
  }
  await recount(appliance.app.domains.db, appliance.ports.clock);
}

/** The answers of some pages, without what each appliance signs itself. */
async function answersOf(appliance: Appliance, path: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let at: string | null = `/v1/msgr/${path}`; at !== null && answers.length < 3; ) {
    const { status, body }: Answer = await appliance.get(at);
    const next: unknown = body.next;
    answers.push({ status, body: { ...body, next: typeof next } });
    at = typeof next === "string" ? pathOfNext(next) : null;
  }
  return answers;
}

describe.each([
  ["csv", false],
  ["csv", true],
  ["ndjson", false],
] as const)("as %s, raw: %p", (format, isRaw) => {
  test("what is exported and imported into an empty appliance is answered alike, whatever is in it", async () => {
    const property = fc.asyncProperty(oddCatalog, fc.gen(), async (catalog, draw) => {
      await fill(source, catalog);
      for (const kind of IMPORT_KIND_NAMES) {
        const file = await exported(source, { kind, format, isRaw });
        const { rejects } = await importText(copy, kind, file, { format });
        expect(rejects).toEqual([]);
        expect(await exported(copy, { kind, format, isRaw })).toBe(file);
      }
      await recount(copy.app.domains.db, copy.ports.clock);
      const request = oddRequests(catalog);
      for (let asked = 0; asked < REQUESTS; asked++) {
        const path = draw(() => request);
        expect(await answersOf(copy, path), path).toEqual(await answersOf(source, path));
      }
    });
    // Once, and not made smaller: an appliance can be filled once only.
    await fc.assert(property, { numRuns: 1, endOnFailure: true });
  });
});
