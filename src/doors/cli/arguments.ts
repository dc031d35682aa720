import { InvalidArgumentError, Option } from "commander";
import { inEnglish, message } from "../../values/messages/messages.ts";
import { zoneNamed } from "../../values/moscow-time.ts";

/** Parses the number by which lists identify an organization, member or key. */
export function parseId(text: string): number {
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError("It is not a number such as lists show.");
  }
  return id;
}

/** Parses the IANA name of a time zone. */
export function parseTimezone(text: string): string {
  const zone = zoneNamed(text);
  if (zone === null) {
    throw new InvalidArgumentError(inEnglish(message("notTimeZone")));
  }
  return zone;
}

export function choiceOption(
  flags: string,
  description: string,
  choices: readonly string[],
): Option {
  return new Option(flags, description).choices([...choices]);
}

/** The option that `jsonOption` adds to a command. */
export interface AsJson {
  json?: boolean | undefined;
}

export function jsonOption(): Option {
  return new Option("--json", "print one JSON document on standard output");
}
