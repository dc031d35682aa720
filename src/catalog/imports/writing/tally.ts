import type { Language } from "../../../values/language.ts";
import {
  inEnglish,
  inLanguage,
  type Message,
  message,
  verbatim,
} from "../../../values/messages/messages.ts";
import { shortened } from "../../../values/shortened.ts";
import { stringifyExact } from "../reading/exact-number.ts";

/** Rows or cells lost for the same reason, with one of them as an example. */
export interface ReasonGroup {
  /** Null if the reason concerns the whole row, or the file. */
  column: string | null;
  fault: Message;
  count: number;
  /** The example's line; null if it concerns the file. */
  line: number | null;
  /** Contents of the example's cell, shortened; null if there is no cell. */
  value: string | null;
}

const VALUE_LENGTH_MAX = 100;
const TEXT_LENGTH_MAX = 500;

/** Counts rejected rows and dropped cells by column and reason. Stays small, however many there are. */
export function createTally() {
  const groups = new Map<string, ReasonGroup>();
  return {
    /** @param value as in the file, or undefined */
    add(column: string | null, fault: Message, line: number | null, value: unknown): void {
      const key = `${fault.code} ${column}`;
      const group = groups.get(key);
      if (group !== undefined) group.count += 1;
      else groups.set(key, { column, fault, count: 1, line, value: shownValue(value) });
    },

    /** Starts over, if what it counted was rolled back. */
    clear: (): void => groups.clear(),

    /** Most frequent first. */
    groups: (): ReasonGroup[] => [...groups.values()].toSorted((a, b) => b.count - a.count),
  };
}

export type Tally = ReturnType<typeof createTally>;

/** A group's reason in words, with what to do about it if that is always the same. */
export function reasonOf(language: Language, { fault }: Pick<ReasonGroup, "fault">): string {
  const reason = inLanguage(language, fault);
  const hint = fault.code.startsWith("noChannel") ? message("importChannelsFirst") : null;
  return hint === null ? reason : `${reason} ${inLanguage(language, hint)}`;
}

function shownValue(value: unknown): string | null {
  if (value == null) return null;
  return shortened(typeof value === "string" ? value : stringifyExact(value), VALUE_LENGTH_MAX);
}

export function cutGroup(group: ReasonGroup): ReasonGroup {
  return { ...group, fault: cut(group.fault) };
}

/** A message as recorded: shortened, since it may quote a cell of any length. */
export function cut(reason: Message): Message {
  const text = inEnglish(reason);
  return text.length <= TEXT_LENGTH_MAX ? reason : verbatim(shortened(text, TEXT_LENGTH_MAX));
}
