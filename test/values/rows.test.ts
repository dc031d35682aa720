import { expect, test } from "bun:test";
import {
  field,
  instant,
  integerSchema,
  optionalInstant,
  rows,
  textSchema,
} from "../../src/values/schema.ts";

const noteRows = rows("Note", {
  id: integerSchema(),
  first_line: textSchema(),
  characters: field(integerSchema(), ({ text }: { text: string }) => text.length),
  created_at: instant("When it was written"),
  removed_at: optionalInstant("When it was removed; null: it was not"),
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
