import { type RawArguments, UNDECODABLE } from "../../../verbs/read-arguments.ts";

/**
 * A URL's query as texts by name; of a repeated name, the last one counts. A value whose escapes are not
 * UTF-8 becomes `UNDECODABLE`; Bun's own parser would leave it as it is.
 */
export function readQuery(url: string): RawArguments {
  const raw: RawArguments = Object.create(null);
  const start = url.indexOf("?");
  if (start < 0) return raw;
  const end = url.indexOf("#", start);
  for (const pair of url.slice(start + 1, end < 0 ? undefined : end).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name !== UNDECODABLE) raw[name] = equals < 0 ? "" : decode(pair.slice(equals + 1));
  }
  return raw;
}

function decode(text: string): string | typeof UNDECODABLE {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return UNDECODABLE;
  }
}
