import { X509Certificate } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Command } from "commander";
import { dictionaryFault } from "../../../catalog/post-search/dictionary/lemmas.ts";
import { type Config, ConfigError, readConfig } from "../../../config.ts";
import { mcpAddress } from "../../../customers/keys/connect-snippets.ts";
import { testConnection } from "../../../customers/oauth/connection-test.ts";
import { requireKanalogFile } from "../../../db/file/database-copy.ts";
import { deniedAccess } from "../../../db/file/file-access.ts";
import { IN_MEMORY, openDatabase } from "../../../db/open-database.ts";
import { requireKnownVersion, schemaVersion } from "../../../db/schema-version.ts";
import { AppError } from "../../../errors.ts";
import type { Ports } from "../../../ports/ports.ts";
import { needsSecret, secretPath } from "../../../push/webhooks/manage/secret-file.ts";
import {
  backupPlace,
  findLastBackup,
  makeBackupFolder,
} from "../../../upkeep/backups/backup-files.ts";
import type { Finding, Found } from "../../../upkeep/checks/finding.ts";
import { judged, named, ok, unknown, wrong } from "../../../upkeep/checks/finding.ts";
import { DAY_MS, formatInstant } from "../../../values/moscow-time.ts";
import { WORDS } from "../../../words/words.ts";
import type { AsJson, CommandContext } from "../command-context.ts";
import { CommandExit, EXIT_FAILED, jsonOption } from "../command-context.ts";
import { printList } from "../print.ts";
import { unknownSettings } from "../with-domains.ts";
import { addressOf, healthOf } from "./health.ts";

/** `kanalog doctor`: looks at everything that an appliance rests on. */
export function doctorCommand(context: CommandContext): Command {
  return new Command("doctor")
    .description("examine settings, file, machine and what is in front, and say what to do")
    .addOption(jsonOption())
    .action(async ({ json }: AsJson) => {
      const findings = await examine(context);
      await printFindings(context, findings, json);
    });
}

/** @throws CommandExit if something is wrong */
export async function printFindings(
  { output }: CommandContext,
  findings: readonly Finding[],
  json: boolean | undefined,
): Promise<void> {
  await printList(output, [findings.map((finding) => ({ ...finding }))], json);
  if (findings.some(({ state }) => state === "wrong")) throw new CommandExit(EXIT_FAILED);
}

/** What the looks are made with. */
interface Looks extends Ports {
  config: Config;
  context: CommandContext;
}

/** In the order in which they are printed. */
const CHECKS: Record<string, (looks: Looks) => Found | Promise<Found>> = {
  file: examineFile,
  dictionary: examineDictionary,
  disk: examineDisk,
  clock: examineClock,
  memory: examineMemory,
  descriptors: examineDescriptors,
  port: examinePort,
  mail: examineMail,
  DNS: examineNames,
  certificate: examineCertificates,
  "public address": examinePublicAddress,
  "proxy headers": examineProxy,
  OAuth: examineOAuth,
  backups: examineBackups,
};

async function examine(context: CommandContext): Promise<Finding[]> {
  const { environment } = context;
  const settings = unknownSettings(environment).flatMap((fault) =>
    named({ settings: wrong(fault, "correct or remove the variable") }),
  );
  const config = settingsOf(environment);
  if (config instanceof ConfigError) {
    const faults = config.faults.flatMap((fault) =>
      named({ settings: wrong(fault, "see kanalog config") }),
    );
    const rest = named({ "all else": unknown("not examined", "correct the settings first") });
    return [...settings, ...faults, ...rest];
  }
  const looks = { ...context.ports(config), config, context };
  const found = await Promise.all(
    Object.entries(CHECKS).map(async ([check, look]) => {
      try {
        return { check, ...(await look(looks)) };
      } catch (error) {
        const reason = error instanceof AppError ? error.detail : String(error);
        return { check, ...wrong(reason, "see kanalog doctor --help and the guide Operating") };
      }
    }),
  );
  return [...(settings.length === 0 ? named({ settings: ok("valid") }) : settings), ...found];
}

function settingsOf(environment: CommandContext["environment"]): Config | ConfigError {
  try {
    return readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const MIB = 1024 * 1024;
const mib = (bytes: number): string => `${Math.round(bytes / MIB).toLocaleString("en-US")} MiB`;
const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

function examineFile({ config, clock }: Looks): Found {
  const { databasePath: path, secret } = config;
  if (path === IN_MEMORY) return wrong("in memory", "let KANALOG_DB name a file");
  const denied = deniedAccess(path);
  if (denied !== null) return wrong(denied, "see kanalog check");
  if (!existsSync(path)) return ok(`${path}: none yet, the first start creates it`);
  try {
    requireKanalogFile(path);
    using db = openDatabase(path, clock, "reader");
    const version = schemaVersion(db);
    requireKnownVersion(path, version);
    if (needsSecret(db) && secret === null && !existsSync(secretPath(path))) {
      const advice = "put the secret's file back, or set KANALOG_SECRET to its text";
      return wrong(`${secretPath(path)}, which decrypts webhooks' secrets, is missing`, advice);
    }
    return ok(`${path}, version ${version}; kanalog check reads all of it`);
  } catch (error) {
    const reason = error instanceof AppError ? error.detail : String(error);
    return wrong(reason, "restore a backup, or run the program that wrote it");
  }
}

function examineDictionary(): Found {
  const fault = dictionaryFault();
  if (fault === null) return ok("all forms of a word are found");
  const advice =
    "install the program again: without it, searches and alerts miss some forms of a word";
  return wrong(`it cannot be read: ${fault}`, advice);
}

/** Less than that, and an import or a long transaction may fill the volume at any moment. */
const FREE_MIN = 64 * MIB;

async function examineDisk({ config, system }: Looks): Promise<Found> {
  const { databasePath: path } = config;
  const folder = existingFolder(path);
  const free = await system.freeBytes(folder).catch(() => null);
  if (free === null) return unknown("not told by the system", `watch the room on ${folder}`);
  const needed = Math.max(FREE_MIN, sizeOf(path));
  const advice = `free at least ${mib(needed)}: a backup or an upgrade copies the file`;
  const found = `${mib(free)} free, the file has ${mib(sizeOf(path))}`;
  return judged(found, free >= needed ? null : advice);
}

/** The nearest folder above a path that exists already. */
function existingFolder(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}

const CLOCK_OFF_MS = 60_000;

function examineClock({ config, system, clock }: Looks): Found {
  const advice = "synchronize it with a time server: quotas, days and signatures follow it";
  const writtenAt = statSync(config.databasePath, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const now = formatInstant(clock.now());
  if (writtenAt > clock.now() + CLOCK_OFF_MS)
    return wrong(`${now}, but the file was written at ${formatInstant(writtenAt)}`, advice);
  const { isClockKept } = system.machine();
  return isClockKept === true
    ? ok(`${now}, kept by a time server`)
    : unknown(`${now}; no time server is known to keep it`, advice);
}

/** What a serving process takes without load, and each further worker. */
const MEMORY_MIN = 256 * MIB;
const WORKER_MEMORY = 128 * MIB;

function examineMemory({ config, system }: Looks): Found {
  const { availableBytes } = system.machine();
  if (availableBytes === null) return unknown("not told by the system", "watch it");
  const needed = MEMORY_MIN + WORKER_MEMORY * (config.workers - 1);
  const advice = `have ${mib(needed)}: add memory, or lower KANALOG_WORKERS`;
  return judged(`${mib(availableBytes)} available`, availableBytes >= needed ? null : advice);
}

const DESCRIPTORS_MIN = 4_096;

function examineDescriptors({ system }: Looks): Found {
  const { openFilesMax } = system.machine();
  if (openFilesMax === null) return unknown("not told by the system", "see ulimit -n");
  const advice = "raise it: ulimit -n 65536, or LimitNOFILE in the unit; each connection needs one";
  return judged(`${openFilesMax} open files`, openFilesMax >= DESCRIPTORS_MIN ? null : advice);
}

async function examinePort({ config, context }: Looks): Promise<Found> {
  if (config.port === 0) return ok("any free one");
  const address = addressOf(config);
  const health = await healthOf(address);
  if (health.ready) return ok(health.detail);
  if (Object.keys(health.checks).length > 0) return wrong(health.detail, "see its log");
  try {
    context.claimPort(config);
    return ok(`${config.host}:${config.port} is free; nothing serves now`);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return wrong(error.detail, "stop the other program, or set KANALOG_PORT or KANALOG_HOST");
  }
}

async function examineMail({ config, mail }: Looks): Promise<Found> {
  const { signUp, mailFrom } = config;
  if (mail === null) {
    const found = "none is sent";
    const advice = "set KANALOG_SMTP_URL: without it, nobody gets a link to sign up or a notice";
    return signUp ? wrong(found, advice) : unknown(found, advice);
  }
  try {
    await mail.tryOut();
    return ok(`the server takes the sign-in; the sender is ${mailFrom}`);
  } catch (error) {
    const reason = (error as Error).message;
    return wrong(reason, "see KANALOG_SMTP_URL: its host, port, user and password");
  }
}

const RESOLVE_MS = 5_000;

async function examineNames({ config, network }: Looks): Promise<Found> {
  const urls = [config.baseUrl, config.smtpUrl].filter((url) => url !== null);
  const names = urls.map((url) => new URL(url).hostname);
  const found: string[] = [];
  for (const name of names) {
    const addresses = await network.resolve(name, RESOLVE_MS).catch(() => null);
    if (addresses === null) return wrong(`${name}: no name server answers`, "see /etc/resolv.conf");
    if (addresses.length === 0)
      return wrong(`${name} does not exist`, "add its record, or correct the setting");
    found.push(`${name} is ${addresses.join(", ")}`);
  }
  return ok(found.join("; ") || "no name is configured");
}

/** Certificates are renewed by then, if they are at all. */
const RENEWED_DAYS = 14;

async function examineCertificates(looks: Looks): Promise<Found> {
  const { config, network, clock } = looks;
  const soon = clock.now() + RENEWED_DAYS * DAY_MS;
  const ends = (config.webhookCa?.match(/-----BEGIN[^-]*-----[^-]*-----END[^-]*-----/g) ?? []).map(
    (pem) => ({ of: "KANALOG_WEBHOOK_CA", at: Date.parse(new X509Certificate(pem).validTo) }),
  );
  if (config.baseUrl?.startsWith("https:") === true) {
    const certificate = await network.certificateEnd(config.baseUrl);
    if ("fault" in certificate)
      return wrong(`${config.baseUrl}: ${certificate.fault}`, "see the proxy in front and its log");
    ends.push({ of: config.baseUrl, at: certificate.endsAt });
  }
  const late = ends.find(({ at }) => at < soon);
  if (late !== undefined) return wrong(`${late.of}: ends at ${formatInstant(late.at)}`, "renew it");
  return ok(ends.length === 0 ? "none is configured" : ends.map(({ of }) => of).join(", "));
}

async function examinePublicAddress({ config, network }: Looks): Promise<Found> {
  const { baseUrl } = config;
  if (baseUrl === null) {
    const advice = "set KANALOG_BASE_URL once clients come from elsewhere";
    return unknown("none; links name the address it listens on", advice);
  }
  const answer = await network.ask({ method: "GET", url: `${baseUrl}/readyz` });
  const advice = "see that it serves, that the proxy passes on to it, and the firewall";
  if ("fault" in answer) return wrong(`${baseUrl}: ${answer.fault}`, advice);
  const isOurs = answer.body.includes('"checks"');
  const found = `${baseUrl}: ${isOurs ? "Kanalog" : "another program"} answers ${answer.status}`;
  return judged(found, isOurs && answer.status === 200 ? null : advice);
}

function examineProxy({ config }: Looks): Found {
  const { baseUrl, trustProxy } = config;
  const isInFront = baseUrl?.startsWith("https:") === true;
  if (isInFront && !trustProxy) {
    const advice =
      "set KANALOG_TRUST_PROXY=true: else all clients share the proxy's address and limits";
    return wrong("not trusted, but something in front ends https", advice);
  }
  if (trustProxy && baseUrl === null) {
    const advice = "set KANALOG_BASE_URL, so that links do not depend on a client's headers";
    return wrong("trusted, but the public address is not set", advice);
  }
  return ok(trustProxy ? "trusted: only the proxy may reach the port" : "not trusted");
}

async function examineOAuth({ config, network }: Looks): Promise<Found> {
  const { oauth, baseUrl } = config;
  if (!oauth) return ok("off");
  if (baseUrl?.startsWith("https:") !== true)
    return wrong("on, but the public address is not https", "set KANALOG_BASE_URL");
  const steps = await testConnection(mcpAddress(baseUrl), network.ask);
  const failed = steps.find(({ fault }) => fault !== null);
  if (failed === undefined) return ok("an assistant can connect and sign in");
  return wrong(failed.fault ?? "", WORDS.en.connectionTest.advice[failed.step]);
}

/** A day, and two hours for a late one. */
const BACKUP_MAX_MS = 26 * 3_600_000;

async function examineBackups({ config, clock }: Looks): Promise<Found> {
  const { backupDir, databasePath } = config;
  if (backupDir === null)
    return unknown("none are made", "set KANALOG_BACKUP_DIR, to a folder on another disk");
  try {
    makeBackupFolder(backupDir);
  } catch (error) {
    return wrong((error as Error).message, "create the folder, and let this user write to it");
  }
  const last = await findLastBackup(backupPlace(backupDir, databasePath), clock.now());
  const since = last?.madeAt ?? statSync(databasePath, { throwIfNoEntry: false })?.birthtimeMs;
  const found = last === null ? "none yet" : `the last was made at ${formatInstant(last.madeAt)}`;
  const isLate = since !== undefined && clock.now() - since > BACKUP_MAX_MS;
  return judged(found, isLate ? "see the log for why, and the room in its folder" : null);
}
