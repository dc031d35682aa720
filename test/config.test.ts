import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ConfigError,
  describeSettings,
  type Environment,
  readConfig,
  SETTINGS,
} from "../src/config.ts";
import { parseAddressRange } from "../src/values/network/address-ranges.ts";
import { TEST_CA } from "./support/https-receiver.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kanalog-config-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20"></svg>';

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function faultsOf(environment: Environment): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split("\n");
  }
}

test("without any variable the documented defaults apply", () => {
  expect(readConfig({})).toEqual({
    databasePath: "data/kanalog.db",
    cluster: null,
    node: null,
    lagMaxMs: 60_000,
    host: "127.0.0.1",
    port: 8080,
    workers: 1,
    baseUrl: null,
    brand: "Kanalog",
    logo: null,
    accent: "#0b6a86",
    contact: null,
    legal: [],
    trustProxy: false,
    messenger: "Telegram",
    messengerHosts: ["t.me", "telegram.me", "telegram.dog", "max.ru"],
    corsOrigins: [],
    oauth: false,
    public: "off",
    publicPosts: false,
    signUp: false,
    queryTimeoutMs: 5000,
    statisticsOpenDays: 7,
    keepPosts: null,
    keepStatistics: null,
    postSearch: true,
    requestLog: true,
    durable: "usual",
    secret: null,
    webhookBatchMs: 60_000,
    webhookRetriesMs: [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * 60_000),
    webhookAllow: [],
    webhookCa: null,
    sourceAllow: [],
    smtpUrl: null,
    mailFrom: "kanalog@localhost",
    stripeKey: null,
    stripeWebhookSecret: null,
    stripeApi: "https://api.stripe.com",
    backupDir: null,
    backupsKept: 7,
    metricsAllow: [parseAddressRange("127.0.0.0/8"), parseAddressRange("::1")],
    url: null,
    key: null,
    logLevel: "info",
  });
});

test("an empty variable counts as not set", () => {
  const empty = Object.fromEntries(
    Object.keys(SETTINGS).flatMap((name) => [
      [name, ""],
      [`${name}_FILE`, ""],
    ]),
  );
  expect(readConfig(empty)).toEqual(readConfig({}));
});

test("values are read from the environment", () => {
  expect(
    readConfig({
      KANALOG_DB: "/srv/k.db",
      KANALOG_HOST: "::",
      KANALOG_PORT: "0",
      KANALOG_WORKERS: "4",
      KANALOG_BASE_URL: "https://api.example.com/kanalog/",
      KANALOG_BRAND: " Каналы & Ко ",
      KANALOG_LOGO: fileOf("logo.svg", LOGO),
      KANALOG_ACCENT: "#A1B2C3",
      KANALOG_CONTACT: "help@example.com",
      KANALOG_LEGAL: "Terms=https://example.com/terms, Privacy = https://example.com/a=b",
      KANALOG_TRUST_PROXY: "Yes",
      KANALOG_MESSENGER: " MAX ",
      KANALOG_MESSENGER_HOSTS: " T.me , max.ru,",
      KANALOG_CLUSTER: "postgres://kanalog:secret@one:5432,two:5432/kanalog",
      KANALOG_NODE: "node-1",
      KANALOG_LAG_MAX: "90s",
      KANALOG_CORS_ORIGINS: "https://app.example.com, http://localhost:3000",
      KANALOG_OAUTH: "on",
      KANALOG_PUBLIC: "charts",
      KANALOG_PUBLIC_POSTS: "on",
      KANALOG_SIGN_UP: "on",
      KANALOG_QUERY_TIMEOUT_MS: "1500",
      KANALOG_STATISTICS_OPEN_DAYS: "60",
      KANALOG_KEEP_POSTS: "12",
      KANALOG_KEEP_STATISTICS: "36",
      KANALOG_POST_SEARCH: "off",
      KANALOG_REQUEST_LOG: "false",
      KANALOG_DURABLE: "full",
      KANALOG_SECRET: "a text of at least thirty-two characters",
      KANALOG_WEBHOOK_BATCH_SECONDS: "5",
      KANALOG_WEBHOOK_RETRIES: "30s, 2m,1h",
      KANALOG_WEBHOOK_ALLOW: "10.0.0.0/8, fd00::/8",
      KANALOG_WEBHOOK_CA: TEST_CA,
      KANALOG_SOURCE_ALLOW: "10.2.0.0/16",
      KANALOG_SMTP_URL: "smtps://user:password@mail.example.com",
      KANALOG_MAIL_FROM: "Kanalog <kanalog@example.com>",
      KANALOG_STRIPE_KEY: "rk_test_a1",
      KANALOG_STRIPE_WEBHOOK_SECRET: "whsec_a1",
      KANALOG_STRIPE_API: "http://127.0.0.1:12111",
      KANALOG_BACKUP_DIR: "/var/backups/kanalog",
      KANALOG_BACKUPS_KEPT: "30",
      KANALOG_METRICS_ALLOW: "10.1.0.0/16",
      KANALOG_URL: "https://data.example.com/",
      KANALOG_KEY: "knl_ro_x",
      KANALOG_LOG_LEVEL: "warn",
    }),
  ).toEqual({
    databasePath: "/srv/k.db",
    cluster: "postgres://kanalog:secret@one:5432,two:5432/kanalog",
    node: "node-1",
    lagMaxMs: 90_000,
    host: "::",
    port: 0,
    workers: 4,
    baseUrl: "https://api.example.com/kanalog",
    brand: "Каналы & Ко",
    logo: { content: new TextEncoder().encode(LOGO), type: "image/svg+xml", ratio: 3 },
    accent: "#a1b2c3",
    contact: "help@example.com",
    legal: [
      { name: "Terms", address: "https://example.com/terms" },
      { name: "Privacy", address: "https://example.com/a=b" },
    ],
    trustProxy: true,
    messenger: "MAX",
    messengerHosts: ["t.me", "max.ru"],
    corsOrigins: ["https://app.example.com", "http://localhost:3000"],
    oauth: true,
    public: "charts",
    publicPosts: true,
    signUp: true,
    queryTimeoutMs: 1500,
    statisticsOpenDays: 60,
    keepPosts: 12,
    keepStatistics: 36,
    postSearch: false,
    requestLog: false,
    durable: "full",
    secret: "a text of at least thirty-two characters",
    webhookBatchMs: 5_000,
    webhookRetriesMs: [30_000, 120_000, 3_600_000],
    webhookAllow: ["10.0.0.0/8", "fd00::/8"].map(parseAddressRange),
    webhookCa: TEST_CA.trim(),
    sourceAllow: [parseAddressRange("10.2.0.0/16")],
    smtpUrl: "smtps://user:password@mail.example.com",
    mailFrom: "Kanalog <kanalog@example.com>",
    stripeKey: "rk_test_a1",
    stripeWebhookSecret: "whsec_a1",
    stripeApi: "http://127.0.0.1:12111",
    backupDir: "/var/backups/kanalog",
    backupsKept: 30,
    metricsAllow: [parseAddressRange("10.1.0.0/16")],
    url: "https://data.example.com",
    key: "knl_ro_x",
    logLevel: "warn",
  });
});

test("every variable can be given as a file, whose last line break is ignored", () => {
  const file = join(folder, "port");
  writeFileSync(file, "9090\n");
  expect(readConfig({ KANALOG_PORT_FILE: file }).port).toBe(9090);
});

test("surrounding blanks and a byte order mark are ignored, for all settings alike", () => {
  const values = { KANALOG_PORT: "9090", KANALOG_TRUST_PROXY: "true", KANALOG_LAG_MAX: "90s" };
  const texts = { ...values, KANALOG_BASE_URL: "https://api.example.com", KANALOG_DB: "/srv/k.db" };
  const plain = readConfig(texts);
  for (const [before, after] of [
    ["", " "],
    [" ", "\t"],
    ["\ufeff", "\r\n"],
  ] as const) {
    const padded = Object.entries(texts).map(([name, text]) => [name, before + text + after]);
    expect(readConfig(Object.fromEntries(padded))).toEqual(plain);
    const files = padded.map(([name = "", text = ""]) => [`${name}_FILE`, fileOf(name, text)]);
    expect(readConfig(Object.fromEntries(files))).toEqual(plain);
  }
});

test("a secret keeps its blanks, because something may be encrypted with them", () => {
  const secret = " a text of at least thirty-two characters ";
  expect(readConfig({ KANALOG_SECRET: secret }).secret).toBe(secret);
});

test("an invisible character is shown as its code point", () => {
  expect(faultsOf({ KANALOG_PORT: "80\ufeff80" })).toEqual([
    'KANALOG_PORT: "80\\u{feff}80" is not a whole number from 0 to 65535.',
  ]);
});

test("a variable given twice, or by a missing file, is a fault naming it", () => {
  const missing = join(folder, "missing");
  expect(faultsOf({ KANALOG_PORT_FILE: missing })).toEqual([
    `KANALOG_PORT: the file ${missing} named by KANALOG_PORT_FILE cannot be read.`,
  ]);
  expect(faultsOf({ KANALOG_HOST: "::", KANALOG_HOST_FILE: missing })).toEqual([
    "KANALOG_HOST: given twice, as KANALOG_HOST and as KANALOG_HOST_FILE.",
  ]);
});

test("every invalid value is one line that names its variable, all at once", () => {
  const wrong = {
    KANALOG_DB: " ",
    KANALOG_CLUSTER: "db.example.com",
    KANALOG_NODE: "a node",
    KANALOG_LAG_MAX: "soon",
    KANALOG_HOST: " ",
    KANALOG_PORT: "65536",
    KANALOG_WORKERS: "all",
    KANALOG_BASE_URL: "ftp://example.com",
    KANALOG_BRAND: "x".repeat(41),
    KANALOG_LOGO: "no/such/file.svg",
    KANALOG_ACCENT: "petrol",
    KANALOG_CONTACT: "javascript:alert(1)",
    KANALOG_LEGAL: "Terms=http://example.com",
    KANALOG_TRUST_PROXY: "maybe",
    KANALOG_MESSENGER: "x".repeat(41),
    KANALOG_MESSENGER_HOSTS: "https://t.me",
    KANALOG_CORS_ORIGINS: "https://app.example.com/path",
    KANALOG_OAUTH: "true",
    KANALOG_PUBLIC: "on",
    KANALOG_PUBLIC_POSTS: "yes",
    KANALOG_SIGN_UP: "yes",
    KANALOG_QUERY_TIMEOUT_MS: "0",
    KANALOG_STATISTICS_OPEN_DAYS: "61",
    KANALOG_KEEP_POSTS: "2",
    KANALOG_KEEP_STATISTICS: "all",
    KANALOG_POST_SEARCH: "no",
    KANALOG_REQUEST_LOG: "maybe",
    KANALOG_DURABLE: "yes",
    KANALOG_SECRET: "too short",
    KANALOG_WEBHOOK_BATCH_SECONDS: "0",
    KANALOG_WEBHOOK_RETRIES: "1m,soon",
    KANALOG_WEBHOOK_ALLOW: "10.0.0.0/33",
    KANALOG_WEBHOOK_CA: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
    KANALOG_SOURCE_ALLOW: "10.0.0.1/x",
    KANALOG_SMTP_URL: "mail.example.com",
    KANALOG_MAIL_FROM: " ",
    KANALOG_STRIPE_KEY: "pk_live_a1",
    KANALOG_STRIPE_WEBHOOK_SECRET: "whsec_",
    KANALOG_STRIPE_API: "api.stripe.com",
    KANALOG_BACKUP_DIR: " ",
    KANALOG_BACKUPS_KEPT: "0",
    KANALOG_METRICS_ALLOW: "everybody",
    KANALOG_URL: "data.example.com",
    KANALOG_KEY: " ",
    KANALOG_LOG_LEVEL: "loud",
  };
  expect(faultsOf(wrong).map((line) => line.split(":")[0])).toEqual(Object.keys(SETTINGS));
  for (const port of ["-1", "80.5", "1e3", "0x50", "http"]) {
    expect(faultsOf({ KANALOG_PORT: port })).toHaveLength(1);
  }
  for (const url of [
    "example.com",
    "https://example.com?x=1",
    "https://example.com#x",
    "https://",
  ]) {
    expect(faultsOf({ KANALOG_BASE_URL: url }), url).toHaveLength(1);
  }
});

test("a logo is an image of limited size, whatever its file name says", () => {
  for (const [name, content, fault] of [
    ["page.svg", "<html><script>alert(1)</script></html>", "is not an SVG, PNG or WebP image"],
    ["text.png", "not an image", "is not an SVG, PNG or WebP image"],
    [
      "bmp.png",
      Buffer.from("424d1e000000000000001a0000000c00000001000100010018000000ff00", "hex"),
      "is not",
    ],
    ["large.svg", LOGO + " ".repeat(256 * 1024), "is larger than 256 KiB"],
    ["long.svg", LOGO.replace("60", "600"), "more than 6 times as long as wide"],
  ] as const) {
    const [line, ...more] = faultsOf({ KANALOG_LOGO: fileOf(name, content) });
    expect(more, name).toEqual([]);
    expect(line, name).toContain(fault);
  }
});

test("KANALOG_LOGO_FILE is refused with the advice to name the logo by its path", () => {
  const file = fileOf("logo.svg", LOGO);
  expect(faultsOf({ KANALOG_LOGO_FILE: file })).toEqual([
    "KANALOG_LOGO: must be the path of the logo's file.",
  ]);
});

test("an invalid value of several lines is one line all the same", () => {
  const file = join(folder, "port");
  writeFileSync(file, "80\n90\n");
  expect(faultsOf({ KANALOG_PORT_FILE: file })).toHaveLength(1);
});

test("a secret is neither printed nor quoted in the message about it", () => {
  const described = describeSettings({
    KANALOG_SECRET: "a text of at least thirty-two characters",
    KANALOG_SMTP_URL: "smtps://user:hunter2@mail.example.com",
  });
  expect(JSON.stringify(described)).not.toMatch(/thirty-two|hunter2/);
  expect(described.find(({ name }) => name === "KANALOG_SECRET")?.value).toBe("(hidden)");
  expect(faultsOf({ KANALOG_SECRET: "hunter2" }).join()).not.toContain("hunter2");
  expect(faultsOf({ KANALOG_SMTP_URL: "http://user:hunter2@x" }).join()).not.toContain("hunter2");
});

test("the settings are described with the values in force, each with its name and purpose", () => {
  const described = describeSettings({ KANALOG_PORT: "9090" });
  expect(described.map(({ name }) => name)).toEqual(Object.keys(SETTINGS));
  expect(described).toContainEqual({
    name: "KANALOG_PORT",
    value: "9090",
    doc: SETTINGS.KANALOG_PORT.doc,
    isNeeded: true,
  });
  expect(described.find(({ name }) => name === "KANALOG_BASE_URL")?.value).toBeNull();
  expect(described.find(({ name }) => name === "KANALOG_DB")?.value).toBe("data/kanalog.db");
});
