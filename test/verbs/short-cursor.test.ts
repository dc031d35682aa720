import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { toolMethods } from "../../src/verbs/methods/table.ts";
import { createCursors, type OpenedCursor } from "../../src/verbs/paging.ts";

/** Cursors as tools give them: short, and the same list again when they come back. */

const cursors = createCursors(new Uint8Array(32).fill(7));
const others = createCursors(new Uint8Array(32).fill(8));
const paged = toolMethods.filter(({ parameters }) => parameters["cursor"] !== undefined);

const position = fc.array(
  fc.oneof(
    fc.constant(null),
    fc.maxSafeNat(),
    fc.integer({ min: 1_300_000_000, max: 2_000_000_000 }).map((seconds) => seconds * 1000),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    fc.string({ unit: "grapheme" }),
  ),
  { minLength: 1, maxLength: 4 },
);

describe.each(paged.map((tool) => [tool.operationId, tool] as const))("%s", (_name, tool) => {
  const { parameters, toolDefaults } = tool;
  const names = Object.keys(parameters).filter((name) => name !== "cursor");

  test("any list comes back as it was, and only from this appliance", () => {
    const filters = fc
      .dictionary(
        fc.constantFrom(...names),
        fc.oneof(
          fc.constantFrom(
            "true",
            "false",
            "0",
            "10",
            "007",
            "1,3",
            "наука",
            "Наука и ИТ",
            "a b",
            "",
          ),
          fc.constantFrom(...names.flatMap((name) => parameters[name]?.schema["enum"] ?? [name])),
          fc.string({ unit: "grapheme" }),
          fc.maxSafeNat().map(String),
        ),
      )
      .map((of) => ({ ...of }));
    fc.assert(
      fc.property(position, filters, fc.boolean(), (at, of, isUsual) => {
        const usual = Object.entries(isUsual ? (toolDefaults?.args ?? {}) : {});
        const all = {
          ...of,
          ...Object.fromEntries(usual.map(([name, value]) => [name, `${value}`])),
        };
        const opened: OpenedCursor = { at, of: all };
        const cursor = cursors.writeShort(tool, opened);
        expect(cursors.openShort(tool, cursor)).toEqual(opened);
        expect(others.openShort(tool, cursor)).toBeNull();
        expect(cursors.openShort(tool, `${cursor}A`)).toBeNull();
      }),
    );
  });

  test("the cursor of another tool, and any other text, is none", () => {
    const [other] = paged.filter((one) => one !== tool);
    const opened = { at: [1, 2], of: {} };
    if (other !== undefined) {
      expect(cursors.openShort(tool, cursors.writeShort(other, opened))).toBeNull();
    }
    for (const text of ["", "A", "AAAAAA", "x".repeat(40), "?cursor=x", "знак", "\0"]) {
      expect(cursors.openShort(tool, text)).toBeNull();
    }
  });
});

test("fields are kept as a selection, in the order of the schema", () => {
  const [tool] = paged.filter(({ operationId }) => operationId === "msgr_channels_list");
  const opened = { at: [1], of: { fields: "title, id,title" } };
  const cursor = cursors.writeShort(tool as never, opened);
  expect(cursors.openShort(tool as never, cursor)?.of["fields"]).toBe("id,title");
});
