import type { Message } from "../../../values/messages/messages.ts";
import type { RecordOf, RowOf, StoredFields } from "../../fields/stored-field.ts";
import { type Given, RowFault } from "./import-kind.ts";

/**
 * Combines the stored entry, or a new one, with the values of a row.
 * @param fault reported for a required field that a new entry's row does not give
 * @throws RowFault for such a field
 */
export function merge<F extends StoredFields>(
  fields: F,
  row: Given<RowOf<F>>,
  stored: RecordOf<F> | undefined,
  fault: Message,
): RecordOf<F> {
  const record: Record<string, unknown> = {};
  for (const name in fields) {
    const { initial, store } = fields[name] as StoredFields[string];
    const given = row[name];
    if (given === undefined) record[name] = stored === undefined ? initial : stored[name];
    else record[name] = given === null ? initial : store(given);
    if (record[name] === undefined) throw new RowFault(name, fault);
  }
  return record as RecordOf<F>;
}

export function isSame<R extends object>(record: R, stored: R): boolean {
  for (const name in stored) if (record[name] !== stored[name]) return false;
  return true;
}
