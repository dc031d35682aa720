import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { LOG_LEVELS, type LogLevel } from "./ports/log.ts";
import { parseAddressRange } from "./values/address-ranges.ts";
import { parseColour } from "./values/colour.ts";
import { readLogo } from "./values/logo.ts";

/** A setting as the operator sees it; `parse` throws a sentence that says what would be right. */
interface Setting<Field extends string, T> {
  /** Its name in the program's `Config`. */
  field: Field;
  doc: string;
  /** The default, as it would be written in the environment; null: none. */
  fallback: string | null;
  /** Never printed. */
  secret: boolean;
  parse(text: string): T;
}

function setting<Field extends string, T>(
  field: Field,
  doc: string,
  fallback: string,
  parse: (text: string) => T,
): Setting<Field, T> {
  return { field, doc, fallback, secret: false, parse };
}

function optional<Field extends string, T>(
  field: Field,
  doc: string,
  parse: (text: string) => T,
): Setting<Field, T | null> {
  return { field, doc, fallback: null, secret: false, parse };
}

/** Marks a setting whose value is never printed. */
function secret<S extends Setting<string, unknown>>(of: S): S {
  return { ...of, secret: true };
}

/** The table from which the program, `kanalog config` and the guide Operating take the settings. */
export const SETTINGS = {
  KANALOG_DB: setting("databasePath", "The database file.", "data/kanalog.db", nonEmpty),
  KANALOG_CLUSTER: secret(
    optional(
      "cluster",
      "The PostgreSQL that several nodes share, such as `postgres://kanalog:password@db.example.com/kanalog`; " +
        "several hosts, separated by commas, are tried for the one that takes writes. The database file is " +
        "then this node's copy, for reading.",
      clusterAddress,
    ),
  ),
  KANALOG_NODE: optional(
    "node",
    "This node's name in its cluster; the machine's where not given.",
    nodeName,
  ),
  KANALOG_LAG_MAX: setting(
    "lagMaxMs",
    "How long this node's copy may not have been the newest before `/readyz` says 503.",
    "60s",
    duration,
  ),
  KANALOG_HOST: setting("host", "The address to listen on.", "127.0.0.1", nonEmpty),
  KANALOG_PORT: setting(
    "port",
    "The port to listen on; 0 takes a free one.",
    "8080",
    integer(0, 65_535),
  ),
  KANALOG_WORKERS: setting(
    "workers",
    "How many processes serve, each on a core of its own; `auto`: one for each core. Linux only, " +
      "elsewhere one serves.",
    "1",
    readWorkers,
  ),
  KANALOG_BASE_URL: optional(
    "baseUrl",
    "The address under which clients reach the appliance, for `next` links; " +
      "the listener's own address where not given.",
    baseUrl,
  ),
  KANALOG_BRAND: setting(
    "brand",
    "The name that pages carry, up to 40 characters.",
    "Kanalog",
    brandName,
  ),
  KANALOG_LOGO: optional(
    "logo",
    "The path of a logo beside the name: an SVG, PNG or WebP file of at most 256 KiB. One at least 2.2 " +
      "times as wide as high stands in the place of the name.",
    readLogo,
  ),
  KANALOG_ACCENT: setting(
    "accent",
    "The colour of links and buttons, as `#rrggbb`; made darker or lighter where it could not be read.",
    "#0b6a86",
    colour,
  ),
  KANALOG_TRUST_PROXY: setting(
    "trustProxy",
    "Believe a proxy in front: the appliance's own address from `X-Forwarded-Host` and " +
      "`X-Forwarded-Proto`, and the client IP from `X-Forwarded-For`.",
    "false",
    flag,
  ),
  KANALOG_MESSENGER_HOSTS: setting(
    "messengerHosts",
    "The messenger's hosts, by which links to channels are known.",
    "t.me,telegram.me,telegram.dog,max.ru",
    nonEmptyList(hostName),
  ),
  KANALOG_CORS_ORIGINS: setting(
    "corsOrigins",
    "Origins whose pages may call the API from a browser; none where empty.",
    "",
    list(origin),
  ),
  KANALOG_ALLOWED_HOSTS: setting(
    "allowedHosts",
    "Hosts whose pages may use the MCP server from a browser, beside the appliance's own, such as " +
      "`app.example.com`.",
    "",
    list(hostName),
  ),
  KANALOG_OAUTH: setting(
    "oauth",
    "`on` lets assistants that take only an address connect by signing in, where `KANALOG_BASE_URL` is " +
      "an https address, such as the one of a proxy in front; else `off`.",
    "off",
    onOrOff,
  ),
  KANALOG_SIGN_UP: setting(
    "signUp",
    "`on` lets visitors make an account with a key on the plan Test, by a link that is mailed to them; " +
      "else `off`.",
    "off",
    onOrOff,
  ),
  KANALOG_QUERY_TIMEOUT_MS: setting(
    "queryTimeoutMs",
    "How long a database query may take before it is given up with 503 `timeout`.",
    "5000",
    integer(1, 600_000),
  ),
  KANALOG_STATISTICS_OPEN_DAYS: setting(
    "statisticsOpenDays",
    "How many of the last Moscow days, today included, go on following their posts: views and posts " +
      "that no import gave.",
    "7",
    integer(1, 60),
  ),
  KANALOG_POST_SEARCH: setting(
    "postSearch",
    "`on` keeps an index by which posts are searched, of some 30 % of their texts' size; `off` removes it, " +
      "and the search says so. Turned on again, it is built in the background.",
    "on",
    onOrOff,
  ),
  KANALOG_REQUEST_LOG: setting(
    "requestLog",
    "Keep the last 100 requests of each key for a week, with path, status and duration, for its owner " +
      "to look at.",
    "true",
    flag,
  ),
  KANALOG_DURABLE: setting(
    "durable",
    "`full` flushes units that were counted to the disk before they are answered, as all else is: for a " +
      "volume that is replicated. Else `usual`: a loss of power may take the last instant of them.",
    "usual",
    durability,
  ),
  KANALOG_SECRET: secret(
    optional(
      "secret",
      "Encrypts the signing secrets of webhooks: any text of at least 32 characters. Where not " +
        "given, the file beside the database with `.secret` behind its name, made on the first start.",
      secretText,
    ),
  ),
  KANALOG_WEBHOOK_BATCH_SECONDS: setting(
    "webhookBatchMs",
    "How often the posts that were read are cut into events, in seconds.",
    "60",
    (text) => integer(1, 3_600)(text) * 1000,
  ),
  KANALOG_WEBHOOK_RETRIES: setting(
    "webhookRetriesMs",
    "When a delivery that failed is attempted again, after each failure.",
    "1m,5m,15m,1h,3h,6h,12h",
    nonEmptyList(duration),
  ),
  KANALOG_WEBHOOK_ALLOW: setting(
    "webhookAllow",
    "Your own networks that webhooks may point to, as address ranges such as `10.0.0.0/8`; " +
      "else public addresses only.",
    "",
    list(parseAddressRange),
  ),
  KANALOG_WEBHOOK_CA: optional(
    "webhookCa",
    "Certificates (PEM) that receivers and sources are trusted by beside the usual ones; best given as " +
      "`KANALOG_WEBHOOK_CA_FILE`.",
    certificates,
  ),
  KANALOG_SOURCE_ALLOW: setting(
    "sourceAllow",
    "Your own networks that sources may be read from, over http too, as address ranges such as " +
      "`10.0.0.0/8`; else public addresses over https only.",
    "",
    list(parseAddressRange),
  ),
  KANALOG_SMTP_URL: secret(
    optional(
      "smtpUrl",
      "The mail server, such as `smtps://user:password@mail.example.com`; none, no mail.",
      smtpUrl,
    ),
  ),
  KANALOG_MAIL_FROM: setting(
    "mailFrom",
    "The sender of mails, such as `Kanalog <kanalog@example.com>`.",
    "kanalog@localhost",
    sender,
  ),
  KANALOG_BACKUP_DIR: optional(
    "backupDir",
    "The folder for a backup every day at 04:00 Moscow time; none, no daily backup.",
    nonEmpty,
  ),
  KANALOG_BACKUPS_KEPT: setting(
    "backupsKept",
    "How many daily backups are kept.",
    "7",
    integer(1, 10_000),
  ),
  KANALOG_METRICS_ALLOW: setting(
    "metricsAllow",
    "Who may read `/metrics`, as address ranges; to all others it is not there.",
    "127.0.0.0/8,::1",
    list(parseAddressRange),
  ),
  KANALOG_URL: optional("url", "For `kanalog mcp`: the address of the appliance.", baseUrl),
  KANALOG_KEY: secret(optional("key", "For `kanalog mcp`: the API key.", nonEmpty)),
  KANALOG_LOG_LEVEL: setting("logLevel", `One of ${LOG_LEVELS.join(", ")}.`, "info", logLevel),
};

type Settings = (typeof SETTINGS)[keyof typeof SETTINGS];

/** The values in force, by their fields. */
export type Config = {
  [S in Settings as S["field"]]: ReturnType<S["parse"]>;
};

export type Environment = Record<string, string | undefined>;

/** Tells all faults at once, one line each, which names the variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly faults: string[]) {
    super(faults.join("\n"));
  }
}

/**
 * Reads the settings from the environment; `<NAME>_FILE` names a file that holds the value.
 * @throws ConfigError
 */
export function readConfig(environment: Environment): Config {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, { field, fallback, parse }] of entries()) {
    try {
      const text = settingText(environment, name) ?? fallback;
      values[field] = text === null ? null : parse(text);
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Config;
}

/** The text in force of every setting, for `kanalog config`; a secret's is hidden. */
export function describeSettings(environment: Environment): {
  name: string;
  value: string | null;
  doc: string;
}[] {
  return entries().map(([name, { doc, fallback, secret }]) => {
    const value = settingText(environment, name) ?? fallback;
    return { name, value: secret && value !== null ? "(hidden)" : shortened(value), doc };
  });
}

/** The first line of a value: a certificate has hundreds. */
function shortened(value: string | null): string | null {
  const [first = ""] = value?.split("\n") ?? [];
  return value === null || value === first ? value : `${first} …`;
}

function entries(): [name: string, setting: Setting<string, unknown>][] {
  return Object.entries<Setting<string, unknown>>(SETTINGS);
}

/** An empty variable counts as not given. */
function settingText(environment: Environment, name: string): string | null {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct && file) throw new Error(`given twice, as ${name} and as ${name}_FILE.`);
  if (direct) return direct;
  if (!file) return null;
  try {
    return readFileSync(file, "utf8").trimEnd();
  } catch {
    throw new Error(`the file ${file} named by ${name}_FILE cannot be read.`);
  }
}

function nonEmpty(text: string): string {
  if (text.trim() === "") throw new Error("must not be blank.");
  return text;
}

const BRAND_LENGTH_MAX = 40;

function brandName(text: string): string {
  const name = text.trim();
  const isShown = name !== "" && !/[\p{Cc}\p{Bidi_Control}]/u.test(name);
  if (!isShown || [...name].length > BRAND_LENGTH_MAX) {
    throw new Error(`must be one line of 1 to ${BRAND_LENGTH_MAX} characters.`);
  }
  return name;
}

function colour(text: string): string {
  if (parseColour(text) === null) {
    throw new Error(`${JSON.stringify(text)} is not a colour such as #0b6a86.`);
  }
  return text.toLowerCase();
}

function integer(minimum: number, maximum: number) {
  return (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
      throw new Error(
        `${JSON.stringify(text)} is not a whole number from ${minimum} to ${maximum}.`,
      );
    }
    return value;
  };
}

const WORKERS_MAX = 64;

/** @throws Error where it is no number of processes */
export function readWorkers(text: string): number {
  if (text === "auto") return Math.min(WORKERS_MAX, availableParallelism());
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > WORKERS_MAX) {
    throw new Error(
      `${JSON.stringify(text)} is not a whole number from 1 to ${WORKERS_MAX}, or auto.`,
    );
  }
  return value;
}

const NODE_LENGTH_MAX = 60;

function nodeName(text: string): string {
  if (!/^[\w.-]+$/.test(text) || text.length > NODE_LENGTH_MAX) {
    throw new Error(
      `${JSON.stringify(text)} is not a name of 1 to ${NODE_LENGTH_MAX} letters, digits, dots and dashes.`,
    );
  }
  return text;
}

function clusterAddress(text: string): string {
  if (!/^postgres(ql)?:\/\/[^/\s]+\/[^/\s]+$/.test(text)) {
    throw new Error("is not an address such as postgres://user:password@host/database.");
  }
  return text;
}

function durability(text: string): "usual" | "full" {
  if (text === "usual" || text === "full") return text;
  throw new Error(`${JSON.stringify(text)} is not usual or full.`);
}

function flag(text: string): boolean {
  if (/^(true|1|yes)$/i.test(text)) return true;
  if (/^(false|0|no)$/i.test(text)) return false;
  throw new Error(`${JSON.stringify(text)} is not true or false.`);
}

function onOrOff(text: string): boolean {
  if (/^on$/i.test(text)) return true;
  if (/^off$/i.test(text)) return false;
  throw new Error(`${JSON.stringify(text)} is not on or off.`);
}

function list<T>(parseItem: (text: string) => T) {
  return (text: string): T[] =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
      .map(parseItem);
}

function nonEmptyList<T>(parseItem: (text: string) => T) {
  return (text: string): T[] => {
    const items = list(parseItem)(text);
    if (items.length === 0) throw new Error("must name at least one.");
    return items;
  };
}

function hostName(text: string): string {
  if (!/^[a-z0-9.-]+(:\d+)?$/i.test(text)) {
    throw new Error(`${JSON.stringify(text)} is not a host name such as t.me.`);
  }
  return text.toLowerCase();
}

function origin(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new Error(`${JSON.stringify(text)} is not an origin such as https://app.example.com.`);
  }
  return text;
}

/** Without the slash at its end, so that paths can be put behind it. */
function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.search + url.hash + url.username + url.password === "";
  if (!isPlain || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${JSON.stringify(text)} is not an address such as https://api.example.com.`);
  }
  return text.replace(/\/+$/, "");
}

const SECRET_LENGTH_MIN = 32;

function secretText(text: string): string {
  if ([...text].length < SECRET_LENGTH_MIN) {
    throw new Error(`must have at least ${SECRET_LENGTH_MIN} characters.`);
  }
  return text;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 };
const DURATION_MAX_MS = 48 * UNIT_MS.h;

function duration(text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const durationMs = Number(number) * (UNIT_MS[unit as keyof typeof UNIT_MS] ?? 0);
  if (durationMs < UNIT_MS.s || durationMs > DURATION_MAX_MS) {
    throw new Error(`${JSON.stringify(text)} is not a wait such as 30s, 15m or 6h, up to 48h.`);
  }
  return durationMs;
}

function certificates(text: string): string {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const certificate of found) new X509Certificate(certificate);
  } catch {
    found.length = 0;
  }
  if (found.length === 0) {
    throw new Error("holds no certificates in PEM (-----BEGIN CERTIFICATE-----…).");
  }
  return text;
}

function sender(text: string): string {
  if (!/^(?:[^<>@\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text.trim())) {
    throw new Error(
      `${JSON.stringify(text)} is not a sender such as Kanalog <kanalog@example.com>.`,
    );
  }
  return text.trim();
}

/** The value may hold a password, so no message quotes it. */
function smtpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === "") {
    throw new Error("is not an address such as smtps://user:password@mail.example.com.");
  }
  return text;
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined)
    throw new Error(`${JSON.stringify(text)} is not one of ${LOG_LEVELS.join(", ")}.`);
  return level;
}
