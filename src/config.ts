import { readFileSync } from "node:fs";
import { LOG_LEVELS, type LogLevel } from "./ports/log.ts";
import { parseAddressRange } from "./values/network/address-ranges.ts";
import { readLogo } from "./values/picture.ts";
import * as read from "./values/settings/setting-texts.ts";

/** A setting as the operator sees it. */
interface Setting<Field extends string, T> {
  /** Name of its field in `Config`. */
  field: Field;
  /** Its description, in Markdown; the guide Operating has the same text. */
  doc: string;
  /** The default, written as in the environment; null if there is none. */
  fallback: string | null;
  /** Whether the value must never be printed. */
  secret: boolean;
  /** @throws Error whose message says what would be valid */
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

/** Marks a setting whose value must never be printed. */
function secret<S extends Setting<string, unknown>>(of: S): S {
  return { ...of, secret: true };
}

/** The single list of settings, used by the program, `kanalog config` and the guide Operating. */
export const SETTINGS = {
  KANALOG_DB: setting("databasePath", "The database file.", "data/kanalog.db", read.nonEmpty),
  KANALOG_CLUSTER: secret(
    optional(
      "cluster",
      "The PostgreSQL server that several nodes share, such as " +
        "`postgres://kanalog:password@db.example.com/kanalog`; of several hosts, separated by commas, the " +
        "one that accepts writes is used. The database file is then this node's copy, for reading.",
      read.clusterAddress,
    ),
  ),
  KANALOG_NODE: optional(
    "node",
    "This node's name in its cluster; by default the machine's name.",
    read.nodeName,
  ),
  KANALOG_LAG_MAX: setting(
    "lagMaxMs",
    "How long this node's copy may be out of date before `/readyz` and requests with a key get a 503.",
    "60s",
    read.duration,
  ),
  KANALOG_HOST: setting("host", "The address to listen on.", "127.0.0.1", read.nonEmpty),
  KANALOG_PORT: setting(
    "port",
    "The port to listen on; 0 chooses a free one.",
    "8080",
    read.integer(0, 65_535),
  ),
  KANALOG_WORKERS: setting(
    "workers",
    "How many processes serve; `auto`: one for each core. Linux only; elsewhere one process serves.",
    "1",
    read.readWorkers,
  ),
  KANALOG_BASE_URL: optional(
    "baseUrl",
    "The address under which clients reach the appliance, for `next` links; by default the address it " +
      "listens on.",
    read.baseUrl,
  ),
  KANALOG_BRAND: setting(
    "brand",
    "The name that pages show, up to 40 characters.",
    "Kanalog",
    read.brandName,
  ),
  KANALOG_LOGO: optional(
    "logo",
    "The path of a logo to show beside the name: an SVG, PNG or WebP file of at most 256 KiB. A logo at " +
      "least 2.2 times as wide as high replaces the name.",
    readLogo,
  ),
  KANALOG_ACCENT: setting(
    "accent",
    "The colour of links and buttons, as `#rrggbb`; made darker or lighter if it would be hard to read.",
    "#0b6a86",
    read.colour,
  ),
  KANALOG_CONTACT: optional(
    "contact",
    "Where people reach you: an e-mail address or the https address of a page, for the footer of pages and " +
      "`security.txt`.",
    read.contact,
  ),
  KANALOG_LEGAL: setting(
    "legal",
    "Links for the footer of pages, such as `Terms=https://example.com/terms`, separated by commas.",
    "",
    read.list(read.namedLink),
  ),
  KANALOG_TRUST_PROXY: setting(
    "trustProxy",
    "Trust a proxy in front, and the last value of each of its headers: the client IP from " +
      "`X-Forwarded-For`, and, if `KANALOG_BASE_URL` is not set, the address of pages from " +
      "`X-Forwarded-Host` and `X-Forwarded-Proto`. `next` links and mails use that address only if the " +
      "appliance listens on all addresses; otherwise, as by default, they name `KANALOG_HOST`: set " +
      "`KANALOG_BASE_URL`.",
    "false",
    read.flag,
  ),
  KANALOG_MESSENGER: setting(
    "messenger",
    "The messenger's name in the descriptions of tools, by which assistants find them; up to 40 characters.",
    "Telegram",
    read.brandName,
  ),
  KANALOG_MESSENGER_HOSTS: setting(
    "messengerHosts",
    "The messenger's hosts, by which links to channels are recognized.",
    "t.me,telegram.me,telegram.dog,max.ru",
    read.nonEmptyList(read.hostName),
  ),
  KANALOG_CORS_ORIGINS: setting(
    "corsOrigins",
    "Origins whose pages may call the API from a browser; none by default.",
    "",
    read.list(read.origin),
  ),
  KANALOG_OAUTH: setting(
    "oauth",
    "`on` lets assistants that take only an address connect by signing in; `KANALOG_BASE_URL` must be an " +
      "https address, such as that of a proxy in front. `off` forbids it.",
    "off",
    read.onOrOff,
  ),
  KANALOG_PUBLIC: setting(
    "public",
    "A catalog for everybody at `/c/`, without keys and units: `cards` shows channels' cards, `charts` also " +
      "their growth and a chart of 90 days; `off` hides it.",
    "off",
    read.oneOf("off", "cards", "charts"),
  ),
  KANALOG_PUBLIC_POSTS: setting(
    "publicPosts",
    "`on` shows the first lines of a channel's last post on its page in that catalog; `off` shows no post.",
    "off",
    read.onOrOff,
  ),
  KANALOG_SIGN_UP: setting(
    "signUp",
    "`on` lets visitors create an account with a key on the Test plan, through a link that is mailed to " +
      "them; `off` forbids it.",
    "off",
    read.onOrOff,
  ),
  KANALOG_QUERY_TIMEOUT_MS: setting(
    "queryTimeoutMs",
    "How many milliseconds a database query may take before it is stopped with 503 `timeout`.",
    "5000",
    read.integer(1, 600_000),
  ),
  KANALOG_STATISTICS_OPEN_DAYS: setting(
    "statisticsOpenDays",
    "For how many of the latest Moscow days, today included, views and post counts that no import gave " +
      "are still computed from the posts.",
    "7",
    read.integer(1, 60),
  ),
  KANALOG_KEEP_POSTS: optional(
    "keepPosts",
    "How many of the latest Moscow months of posts are kept, the current one included, at least 3; by default " +
      "all. What is older is removed at night, and an import of it is removed again.",
    read.integer(3, 1_200),
  ),
  KANALOG_KEEP_STATISTICS: optional(
    "keepStatistics",
    "The same of daily statistics.",
    read.integer(3, 1_200),
  ),
  KANALOG_POST_SEARCH: setting(
    "postSearch",
    "`on` keeps an index for searching posts, of about 30 % of the size of their texts; `off` removes " +
      "it, and searches of posts are refused. When turned on again, it is built in the background.",
    "on",
    read.onOrOff,
  ),
  KANALOG_REQUEST_LOG: setting(
    "requestLog",
    "Keep the last 100 requests of each key for a week, with path, status and duration, for its owner to " +
      "see.",
    "true",
    read.flag,
  ),
  KANALOG_DURABLE: setting(
    "durable",
    "`full` flushes counted units to the disk before the request is answered, as is always done for " +
      "everything else: use it on a replicated volume. With `usual`, a power failure may lose the units of " +
      "the last moments.",
    "usual",
    read.oneOf("usual", "full"),
  ),
  KANALOG_SECRET: secret(
    optional(
      "secret",
      "Encrypts the signing secrets of webhooks: any text of at least 32 characters. By default it is read " +
        "from a file beside the database, with `.secret` appended to its name, which the first start creates.",
      read.secretText,
    ),
  ),
  KANALOG_WEBHOOK_BATCH_SECONDS: setting(
    "webhookBatchMs",
    "How often new posts are combined into events, in seconds.",
    "60",
    (text) => read.integer(1, 3_600)(text) * 1000,
  ),
  KANALOG_WEBHOOK_RETRIES: setting(
    "webhookRetriesMs",
    "How long to wait after each failure before a delivery is attempted again.",
    "1m,5m,15m,1h,3h,6h,12h",
    read.nonEmptyList(read.duration),
  ),
  KANALOG_WEBHOOK_ALLOW: setting(
    "webhookAllow",
    "Your own networks that webhooks may point to, as address ranges such as `10.0.0.0/8`; all other " +
      "addresses must be public.",
    "",
    read.list(parseAddressRange),
  ),
  KANALOG_WEBHOOK_CA: optional(
    "webhookCa",
    "Certificates (PEM) to trust for receivers and sources, besides the usual ones; best given as " +
      "`KANALOG_WEBHOOK_CA_FILE`.",
    read.certificates,
  ),
  KANALOG_SOURCE_ALLOW: setting(
    "sourceAllow",
    "Your own networks that sources may be read from, also over http, as address ranges such as " +
      "`10.0.0.0/8`; all other addresses must be public, and use https.",
    "",
    read.list(parseAddressRange),
  ),
  KANALOG_SMTP_URL: secret(
    optional(
      "smtpUrl",
      "The mail server, such as `smtps://user:password@mail.example.com`; without it, no mail is sent.",
      read.smtpUrl,
    ),
  ),
  KANALOG_MAIL_FROM: setting(
    "mailFrom",
    "The sender of mails, such as `Kanalog <kanalog@example.com>`.",
    "kanalog@localhost",
    read.sender,
  ),
  KANALOG_STRIPE_KEY: secret(
    optional(
      "stripeKey",
      "The secret key of your Stripe account, or a restricted one, with which customers buy plans that are " +
        "offered through Stripe; needs `KANALOG_STRIPE_WEBHOOK_SECRET` too.",
      read.stripeKey,
    ),
  ),
  KANALOG_STRIPE_WEBHOOK_SECRET: secret(
    optional(
      "stripeWebhookSecret",
      "The signing secret of the event destination at Stripe that sends to `/billing/stripe/`.",
      read.stripeSecret,
    ),
  ),
  KANALOG_STRIPE_API: setting(
    "stripeApi",
    "Stripe's API; another address is for trying it with a stand-in.",
    "https://api.stripe.com",
    read.baseUrl,
  ),
  KANALOG_BACKUP_DIR: optional(
    "backupDir",
    "The folder for a backup every day at 04:00 Moscow time; without it, there is no daily backup.",
    read.nonEmpty,
  ),
  KANALOG_BACKUPS_KEPT: setting(
    "backupsKept",
    "How many daily backups are kept.",
    "7",
    read.integer(1, 10_000),
  ),
  KANALOG_METRICS_ALLOW: setting(
    "metricsAllow",
    "Who may read `/metrics`, as address ranges; everybody else gets a 404.",
    "127.0.0.0/8,::1",
    read.list(parseAddressRange),
  ),
  KANALOG_URL: optional("url", "For `kanalog mcp`: the address of the appliance.", read.baseUrl),
  KANALOG_KEY: secret(optional("key", "For `kanalog mcp`: the API key.", read.nonEmpty)),
  KANALOG_LOG_LEVEL: setting("logLevel", `One of ${LOG_LEVELS.join(", ")}.`, "info", logLevel),
};

type Settings = (typeof SETTINGS)[keyof typeof SETTINGS];

/** The parsed values in force, by field. */
export type Config = {
  [S in Settings as S["field"]]: ReturnType<S["parse"]>;
};

export type Environment = Record<string, string | undefined>;

/** Reports all invalid settings at once, one line each, naming the variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  constructor(readonly faults: string[]) {
    super(faults.join("\n"));
  }
}

/**
 * Reads the settings from the environment; `<NAME>_FILE` names a file that contains the value.
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
      const fault = error instanceof Error ? error.message : String(error);
      faults.push(`${name}: ${withUnseen(fault)}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return values as Config;
}

/** The value in force of every setting, for `kanalog config`; secrets are hidden. */
export function describeSettings(environment: Environment): {
  name: string;
  value: string | null;
  doc: string;
  /** Whether it is one of the first day's, or set. */
  isNeeded: boolean;
}[] {
  return entries().map(([name, { doc, fallback, secret }]) => {
    const given = settingText(environment, name);
    const value = given ?? fallback;
    const isNeeded = NEEDED.has(name) || given !== null;
    return { name, value: secret && value !== null ? "(hidden)" : firstLine(value), doc, isNeeded };
  });
}

/** Settings that most appliances need; all others are for special cases. */
export const NEEDED: ReadonlySet<string> = new Set<keyof typeof SETTINGS>([
  ...(["KANALOG_DB", "KANALOG_HOST", "KANALOG_PORT", "KANALOG_BASE_URL"] as const),
  ...(["KANALOG_TRUST_PROXY", "KANALOG_BRAND", "KANALOG_CONTACT", "KANALOG_PUBLIC"] as const),
  ...(["KANALOG_SIGN_UP", "KANALOG_SMTP_URL", "KANALOG_MAIL_FROM"] as const),
  ...(["KANALOG_BACKUP_DIR", "KANALOG_MESSENGER"] as const),
]);

/** The first line of a value, because a certificate has dozens. */
function firstLine(value: string | null): string | null {
  const [first = ""] = value?.split("\n") ?? [];
  return value === null || value === first ? value : `${first} …`;
}

function entries(): [name: string, setting: Setting<string, unknown>][] {
  return Object.entries<Setting<string, unknown>>(SETTINGS);
}

/** Replaces invisible characters of a value, such as a byte order mark, by their code points. */
function withUnseen(fault: string): string {
  return fault.replace(
    /\p{Cf}/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16).padStart(4, "0")}}`,
  );
}

/**
 * The text of a setting without surrounding blanks and a byte order mark; null if it is not set or empty.
 * The secret keeps its blanks (from a file, those at its start), because existing databases may have been
 * written with them.
 */
function settingText(environment: Environment, name: string): string | null {
  const direct = environment[name];
  const file = environment[`${name}_FILE`];
  if (direct && file) throw new Error(`given twice, as ${name} and as ${name}_FILE.`);
  const isTrimmed = name !== "KANALOG_SECRET";
  if (direct) return isTrimmed ? direct.trim() : direct;
  if (!file) return null;
  const text = readSettingFile(file, name);
  return isTrimmed ? text.trim() : text.trimEnd();
}

function readSettingFile(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new Error(`the file ${file} named by ${name}_FILE cannot be read.`);
  }
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level === undefined)
    throw new Error(`${JSON.stringify(text)} is not one of ${LOG_LEVELS.join(", ")}.`);
  return level;
}
