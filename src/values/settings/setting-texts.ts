import { X509Certificate } from "node:crypto";
import { availableParallelism } from "node:os";
import { parseColour } from "./colour.ts";

/** Parsers for settings. Each throws a sentence that says what would be valid. */

/** Quotes the value, which must be no secret. */
function isNot(text: string, what: string): Error {
  return new Error(`${JSON.stringify(text)} is not ${what}.`);
}

/** One of these words. */
export function oneOf<const Option extends string>(...options: readonly [Option, ...Option[]]) {
  return (text: string): Option => {
    const found = options.find((one) => one === text);
    if (found !== undefined) return found;
    throw isNot(text, `${options.slice(0, -1).join(", ")} or ${options.at(-1)}`);
  };
}

export function nonEmpty(text: string): string {
  if (text.trim() === "") throw new Error("must not be blank.");
  return text;
}

const BRAND_LENGTH_MAX = 40;

export function brandName(text: string): string {
  const name = text.trim();
  const isShown = name !== "" && !/[\p{Cc}\p{Bidi_Control}]/u.test(name);
  if (!isShown || [...name].length > BRAND_LENGTH_MAX) {
    throw new Error(`must be one line of 1 to ${BRAND_LENGTH_MAX} characters.`);
  }
  return name;
}

export function colour(text: string): string {
  if (parseColour(text) === null) throw isNot(text, "a colour such as #0b6a86");
  return text.toLowerCase();
}

export function integer(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw isNot(text, `a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  };
}

const WORKERS_MAX = 64;

/** A number of processes; `auto` is one per processor. */
export function readWorkers(text: string): number {
  if (text === "auto") return Math.min(WORKERS_MAX, availableParallelism());
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > WORKERS_MAX) {
    throw isNot(text, `a whole number from 1 to ${WORKERS_MAX}, or auto`);
  }
  return value;
}

const NODE_LENGTH_MAX = 60;

export function nodeName(text: string): string {
  if (!/^[\w.-]+$/.test(text) || text.length > NODE_LENGTH_MAX) {
    throw isNot(text, `a name of 1 to ${NODE_LENGTH_MAX} letters, digits, dots and dashes`);
  }
  return text;
}

export function clusterAddress(text: string): string {
  if (!/^postgres(ql)?:\/\/[^/\s]+\/[^/\s]+$/.test(text)) {
    throw new Error("is not an address such as postgres://user:password@host/database.");
  }
  return text;
}

export function flag(text: string): boolean {
  if (/^(true|1|yes)$/i.test(text)) return true;
  if (/^(false|0|no)$/i.test(text)) return false;
  throw isNot(text, "true or false");
}

export function onOrOff(text: string): boolean {
  if (/^on$/i.test(text)) return true;
  if (/^off$/i.test(text)) return false;
  throw isNot(text, "on or off");
}

export function list<T>(parseItem: (text: string) => T) {
  return (text: string): T[] =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map(parseItem);
}

export function nonEmptyList<T>(parseItem: (text: string) => T) {
  return (text: string): T[] => {
    const items = list(parseItem)(text);
    if (items.length === 0) throw new Error("must name at least one.");
    return items;
  };
}

export function hostName(text: string): string {
  if (!/^[a-z0-9.-]+(:\d+)?$/i.test(text)) throw isNot(text, "a host name such as t.me");
  return text.toLowerCase();
}

export function origin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw isNot(text, "an origin such as https://app.example.com");
  }
  return text;
}

/** Without a trailing slash, so that paths can be appended. */
export function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw isNot(text, "an address such as https://api.example.com");
  }
  return text.replace(/\/+$/, "");
}

const SECRET_LENGTH_MIN = 32;

export function secretText(text: string): string {
  if ([...text].length < SECRET_LENGTH_MIN) {
    throw new Error(`must have at least ${SECRET_LENGTH_MIN} characters.`);
  }
  return text;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION_MAX_MS = 48 * UNIT_MS.h;

export function duration(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const durationMs = Number(number) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  if (durationMs < UNIT_MS.s || durationMs > DURATION_MAX_MS) {
    throw isNot(text, "a wait such as 30s, 15m or 6h, up to 48h");
  }
  return durationMs;
}

export function certificates(text: string): string {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const certificate of found) new X509Certificate(certificate);
  } catch {
    found.length = 0;
  }
  if (found.length === 0) {
    throw new Error("contains no certificates in PEM (-----BEGIN CERTIFICATE-----…).");
  }
  return text;
}

export function sender(text: string): string {
  if (!/^(?:[^<>@\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text.trim())) {
    throw isNot(text, "a sender such as Kanalog <kanalog@example.com>");
  }
  return text.trim();
}

/** Where people reach the operator: an e-mail address, or the address of a page. */
export function contact(text: string): string {
  const isPage = URL.canParse(text) && new URL(text).protocol === "https:";
  if (isPage || /^[^\s<>@,"]+@[^\s<>@,"]+$/.test(text)) return text;
  throw new Error(
    `${JSON.stringify(text)} is neither an e-mail address nor one such as https://example.com/contact.`,
  );
}

/** A link with its name, as `Terms=https://example.com/terms`. */
export function namedLink(text: string): { name: string; address: string } {
  const at = text.indexOf("=");
  const [name, address] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  const isWeb = URL.canParse(address) && new URL(address).protocol === "https:";
  if (
    at > 0 &&
    isWeb &&
    name.length <= BRAND_LENGTH_MAX &&
    !/[\p{Cc}\p{Bidi_Control}]/u.test(name)
  ) {
    return { name, address };
  }
  throw isNot(text, "a name and an address, such as Terms=https://example.com/terms");
}

/** The value may contain a password, so messages never quote it. */
export function smtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new Error("is not an address such as smtps://user:password@mail.example.com.");
  }
  return text;
}

export function stripeKey(text: string): string {
  if (/^(sk|rk)_(test|live)_\w+$/.test(text)) return text;
  throw new Error("is not a key such as sk_live_… or rk_test_….");
}

export function stripeSecret(text: string): string {
  if (/^whsec_\w+$/.test(text)) return text;
  throw new Error("is not a signing secret such as whsec_….");
}
