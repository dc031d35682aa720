import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { workbookOf, workbookRow } from "../../../src/catalog/exports/workbook.ts";
import { type Appliance, startAppliance } from "../../support/appliance.ts";
import { exported, exportedFile } from "../../support/exporting.ts";
import { importText } from "../../support/import-text.ts";

/** Exports as Excel workbooks. */

let source: Appliance;
let copy: Appliance;
beforeEach(async () => {
  [source, copy] = [await startAppliance(), await startAppliance()];
});
afterEach(async () => {
  await Promise.all([source.close(), copy.close()]);
});

const TITLES = [
  "Обычный; «канал», два",
  "=1+1",
  "'=1+1",
  "<b>&\"'</b>",
  "_x0041_ и _x000D_",
  " пробелы ",
  "@handle",
  "А;+1",
  "🙂 é",
];
const TEXTS = [...TITLES, "строка\nвторая\r\nтретья\tтаб", "", "\u0001\u001f\uffff"];

async function fill(): Promise<void> {
  const channels = TITLES.map((title, at) => ({ id: at + 1, title, subscribers: at * 1000 }));
  await source.importRows("channels", channels);
  const published_at = "2026-11-19T10:00:00.123Z";
  await source.importRows(
    "posts",
    TEXTS.map((text, at) => ({
      id: at + 1,
      channel: 1,
      text,
      published_at,
      msgr_post_id: `9007199254740993${at}`,
    })),
  );
}

test("a workbook imported into an empty appliance gives the same rows", async () => {
  await fill();
  for (const kind of ["channels", "posts"] as const) {
    const file = await exportedFile(source, { kind, format: "xlsx" });
    const { rejects, recognized } = await importText(copy, kind, file);
    expect(rejects).toEqual([]);
    expect(recognized.compression).toBe("xlsx");
    const ndjson = { kind, format: "ndjson" } as const;
    expect(await exported(copy, ndjson)).toBe(await exported(source, ndjson));
  }
});

test("texts that a spreadsheet would run are guarded as in CSV, unless --raw says otherwise", async () => {
  await fill();
  const sheet = async (isRaw: boolean) => {
    const file = await exportedFile(source, { kind: "channels", format: "xlsx", isRaw });
    const { unzipSync } = await import("fflate");
    return Buffer.from(unzipSync(file)["xl/worksheets/sheet1.xml"] ?? []).toString();
  };
  expect(await sheet(false)).toContain(">'=1+1</t>");
  expect(await sheet(true)).toContain(">=1+1</t>");
});

test("what a sheet cannot hold is refused, and not cut off", () => {
  const cell = (value: unknown) => [{ value, isNullable: false, isRaw: false }];
  expect(() => workbookRow(1_048_577, cell("x"))).toThrow("at most 1048576 rows");
  expect(() => workbookRow(2, cell("x".repeat(32_768)))).toThrow("32767 characters");
  expect(workbookRow(2, cell("x".repeat(32_767)))).toContain("xxx");
});

test("columns after Z are AA, AB", () => {
  const values = Array.from({ length: 28 }, () => ({ value: 1, isNullable: false, isRaw: false }));
  expect(workbookRow(3, values)).toContain(
    '<c r="Z3"><v>1</v></c><c r="AA3"><v>1</v></c><c r="AB3">',
  );
});

test("a workbook is packed as its rows come, not at the end", async () => {
  const noise = Buffer.from(Array.from({ length: 50_000 }, (_, at) => 32 + ((at * 7919) % 90)));
  let given = 0;
  const parts = (async function* () {
    for (; given < 20; given++) yield noise;
  })();
  const sizes: number[] = [];
  for await (const piece of workbookOf(parts)) sizes.push(given * 1000 + Math.sign(piece.length));
  expect(new Set(sizes.map((size) => Math.floor(size / 1000))).size).toBeGreaterThan(10);
});

const office = Bun.which("soffice") ?? Bun.which("libreoffice");

test.skipIf(office === null)(
  "LibreOffice opens a workbook, and what it saves as a workbook or as CSV is the same rows",
  async () => {
    await fill();
    const folder = mkdtempSync(join(tmpdir(), "kanalog-office-"));
    try {
      for (const [filter, saved] of [
        ["xlsx:Calc MS Excel 2007 XML", "saved.xlsx"],
        ["csv:Text - txt - csv (StarCalc):44,34,76", "saved.csv"],
      ] as const) {
        const into = await startAppliance();
        for (const kind of ["channels", "posts"] as const) {
          const file = join(folder, "saved.xlsx");
          writeFileSync(file, await exportedFile(source, { kind, format: "xlsx" }));
          const home = `-env:UserInstallation=file://${folder}/home`;
          const out = ["--outdir", join(folder, "out"), file];
          const words = [home, "--headless", "--convert-to", filter, ...out];
          expect(Bun.spawnSync([office ?? "", ...words], { timeout: 100_000 }).exitCode).toBe(0);
          const bytes = readFileSync(join(folder, "out", saved));
          expect((await importText(into, kind, bytes)).rejects).toEqual([]);
          const ndjson = { kind, format: "ndjson" } as const;
          // It has a single kind of line break within a cell.
          const whole = (await exported(source, ndjson)).replaceAll("\\r\\n", "\\n");
          expect(await exported(into, ndjson), saved).toBe(whole);
        }
        await into.close();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  240_000,
);
