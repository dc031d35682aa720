/** @jsxImportSource hono/jsx */
import type { JSX } from "hono/jsx/jsx-runtime";
import { FOREIGN_FORMATS } from "../../../../catalog/imports/foreign/foreign-formats.ts";
import type { ReadingOptions } from "../../../../catalog/imports/rows.ts";
import { MOSCOW_ZONE, zoneNamed } from "../../../../values/moscow-time.ts";
import { pageFault } from "../../forms/faults.ts";
import { CheckField, SelectField, TextAreaField, TextField } from "../../look/form.tsx";
import type { Visit } from "../../visit/visit.ts";
import { WORDS } from "../../words/words.ts";

/** Choices of how an uploaded file is read: those of `kanalog import`, seldom needed. */
export function ReadingFields({ visit }: { visit: Visit }): JSX.Element {
  const words = visit.words.importPages;
  const field = { visit, action: "import" };
  return (
    <details open={visit.faults["map"] !== undefined || visit.faults["timezone"] !== undefined}>
      <summary>{words.reading}</summary>
      <SelectField
        {...field}
        name="from"
        label={words.from}
        value=""
        options={[
          { value: "", label: words.ownColumns },
          ...FOREIGN_FORMATS.map((value) => ({ value, label: value })),
        ]}
      />
      <TextAreaField
        {...field}
        name="map"
        label={words.map}
        hint={words.mapHint}
        rows={3}
        required={false}
      />
      <CheckField {...field} name="ignoreUnknown" label={words.ignoreUnknown} />
      <TextField
        {...field}
        name="timezone"
        label={words.timezone}
        hint={words.timezoneHint}
        value={MOSCOW_ZONE}
        required={false}
      />
      <CheckField {...field} name="strict" label={words.strict} hint={words.strictHint} />
    </details>
  );
}

/** @throws AppError `invalid` on `map` */
export function readMap({ form, language }: Visit): ReadingOptions["map"] {
  const pairs: [string, string][] = [];
  for (const line of form.get("map").split("\n")) {
    if (line.trim() === "") continue;
    const at = line.lastIndexOf("=");
    const [theirs, ours] = [line.slice(0, Math.max(0, at)).trim(), line.slice(at + 1).trim()];
    if (theirs === "" || ours === "") throw pageFault("map", WORDS[language].importPages.wrongMap);
    pairs.push([theirs, ours]);
  }
  return Object.fromEntries(pairs);
}

/** The form's choices of how to read a file, with its columns' names. */
export function readingOf({ form }: Visit, map: ReadingOptions["map"]): ReadingOptions {
  return {
    ...{ format: null, map, ignoreUnknown: form.get("ignoreUnknown") === "yes" },
    from: FOREIGN_FORMATS.find((name) => name === form.get("from")) ?? null,
  };
}

/** @throws AppError `invalid` on `timezone` */
export function readTimezone({ form, language }: Visit): string {
  const given = form.get("timezone").trim();
  const zone = given === "" ? MOSCOW_ZONE : zoneNamed(given);
  if (zone === null) throw pageFault("timezone", WORDS[language].importPages.noZone);
  return zone;
}
