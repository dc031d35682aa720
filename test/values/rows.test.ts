import { expect, test } from "bun:test";
import * as shape from "../../src/values/schema.ts";

const noteRows = shape.rows("Note", {
  id: shape.integer(),
  first_line: shape.text(),
  characters: shape.field(shape.integer(), ({ text }: { text: string }) => text.length),
  created_at: shape.instant("When it was written"),
  removed_at: shape.optionalInstant("When it was removed; null: it was not"),
});

test("a row has each property under its field's name, instants as text, and what fields compute", () => {
  const note = { id: 3, firstLine: "a", text: "abc", createdAt: 0, removedAt: null, secret: "s" };
  expect(noteRows.row(note)).toEqual({
    ...{ id: 3, first_line: "a", characters: 3 },
    ...{ created_at: "1970-01-01T03:00:00+03:00", removed_at: null },
  });
  expect(Object.keys(noteRows.schema.properties)).toEqual(Object.keys(noteRows.row(note)));
  expect(noteRows.schema["$id"]).toBe("Note");
});
