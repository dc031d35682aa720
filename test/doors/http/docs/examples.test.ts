import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import type { Examples } from "../../../../src/doors/http/docs/examples.ts";
import { apiMethods } from "../../../../src/verbs/methods/table.ts";
import { EXAMPLES_FILE, recordExamples } from "../../../support/recorded-examples.ts";

/** Set by `bun run examples`, which writes the file that this test otherwise compares. */
const WRITES = process.env["KANALOG_TEST_WRITE_EXAMPLES"] === "1";

let recorded: Examples;
beforeAll(async () => {
  recorded = await recordExamples();
  if (WRITES) writeFileSync(EXAMPLES_FILE, `${JSON.stringify(recorded, null, 2)}\n`);
});

test("the documentation's examples are the answers of the sample; `bun run examples` records them again", () => {
  expect(JSON.parse(readFileSync(EXAMPLES_FILE, "utf8"))).toEqual(recorded);
});

test("every method has a successful example, and no example list is empty", () => {
  const names = apiMethods.map(({ operationId }) => operationId);
  expect(Object.keys(recorded.calls).sort()).toEqual(names.sort());
  for (const [name, { status, answer }] of Object.entries(recorded.calls)) {
    expect(status, name).toBeLessThan(300);
    // The sample's nine channels write of too different things for a word to rise.
    if (name === "msgr_trends_list") continue;
    expect((answer as { results?: unknown[] } | undefined)?.results, name).not.toEqual([]);
  }
});
