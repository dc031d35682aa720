import { existsSync } from "node:fs";
import { loadShippedDirectories } from "../catalog/imports/import-file.ts";
import { createImportRuns } from "../catalog/imports/runs/import-runs.ts";
import type { Upload } from "../catalog/imports/runs/run-upload.ts";
import { createUploadFiles } from "../catalog/imports/runs/upload-files.ts";
import { createManageChannels } from "../catalog/manage/manage-channels.ts";
import { finishRemovals } from "../catalog/manage/removals.ts";
import { createManagePosts } from "../catalog/posts/manage-posts.ts";
import { createSample } from "../catalog/sample/sample.ts";
import type { Config } from "../config.ts";
import { createAccounts } from "../customers/accounts/accounts.ts";
import { createAuditLog } from "../customers/audit/audit-log.ts";
import { createKeys } from "../customers/keys/keys.ts";
import { createUsageStore } from "../customers/limits/usage.store.ts";
import { createOperatorKeys } from "../customers/operator-keys/operator-keys.ts";
import { createPeople } from "../customers/people/site-people.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase } from "../db/open-database.ts";
import { SCHEMA_VERSION } from "../db/schema-version.ts";
import { inlineThreads } from "../db/threads/threads.ts";
import { AppError } from "../errors.ts";
import type { Ports } from "../ports/ports.ts";
import { createAlerts } from "../push/webhooks/alerts/alerts.ts";
import { createMakeAttempt } from "../push/webhooks/delivery/attempt.ts";
import { createSender, type Sender } from "../push/webhooks/delivery/sender.ts";
import { createManualAttempts } from "../push/webhooks/manage/manual-attempts.ts";
import { createOperatorWebhooks } from "../push/webhooks/manage/operator-webhooks.ts";
import { createStaffWebhooks } from "../push/webhooks/manage/staff-webhooks.ts";
import { channelWatchers } from "../push/webhooks/manage/watched-channels.store.ts";
import { message } from "../values/messages/messages.ts";
import { createTargetGuard } from "../values/network/target-guard.ts";
import { createSecretBox, type SecretBox } from "../values/secret-box.ts";
import { composeJobs, composeRows } from "./compose/jobs.ts";
import { composeSources } from "./compose/sources.ts";
import { loadDemoCustomers } from "./demo-customers.ts";
import type { InstallationSecret } from "./installation-secret.ts";
import { authSettings, installationSecret } from "./installation-secret.ts";
import { linkCopy, requireSameClock } from "./node-copy.ts";
import { lanes } from "./operations.ts";

/** A writing connection with the domains over it, for commands. */
export type Domains = Awaited<ReturnType<typeof openDomains>>;

/**
 * Opens the configured database and migrates it to this program's schema. On a node of a cluster, its copy
 * is also linked to PostgreSQL and brought up to date.
 * @throws AppError as `openDatabase`, `migrate` and `linkCopy`
 */
export async function openCurrent(
  config: Config,
  { clock, log }: Pick<Ports, "clock" | "log">,
): Promise<Database> {
  const path = config.databasePath;
  // Opening would create an empty file, which would block the copy that `cluster join` makes.
  if (config.cluster !== null && !existsSync(path)) {
    throw new AppError("conflict", message("noCopy", { file: path }));
  }
  const db = openDatabase(path, clock);
  try {
    const { from, snapshot } = await migrate(db, clock);
    if (snapshot !== null) {
      log.info({ from, to: SCHEMA_VERSION, snapshot }, "the database was migrated");
    }
    if (config.cluster === null) await loadShippedDirectories(db, clock);
    await linkCopy(db, clock, config);
    await requireSameClock(db, clock);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Opens the database and builds the domains over it.
 * @param open opens the database; tests pass one that opens a prepared in-memory database
 */
export async function openDomains(
  config: Config,
  ports: Ports,
  secret: InstallationSecret = installationSecret(config, ports.random),
  open: typeof openCurrent = openCurrent,
) {
  const { clock, random } = ports;
  const db = await open(config, ports);
  try {
    // Finishes a merge or deletion whose process was killed.
    await finishRemovals(db, clock, channelWatchers);
  } catch (error) {
    db.close();
    throw error;
  }
  const changes = inlineThreads(lanes.write, db, clock).calls;
  const bulk = inlineThreads(lanes.bulk, db, clock).calls;
  const read = inlineThreads(lanes.read, db, clock).calls;
  const { importSourceFile, applyBatch, runUpload } = bulk;
  const { messengerHosts, statisticsOpenDays: openDays } = config;
  const importParts = {
    db,
    changes,
    files: createUploadFiles(config.databasePath, ports),
    runUpload: (upload: Upload) => runUpload({ ...upload, messengerHosts, openDays }),
  };
  const secrets = async () => createSecretBox(await secret(db), random);
  const accounts = createAccounts(db, changes);
  const keys = createKeys(db, changes, random, null);
  return {
    db,
    clock,
    loadDemoCustomers: () => loadDemoCustomers({ db, clock, keys, accounts, secrets }),
    channels: {
      ...createManageChannels(db, clock, config.messengerHosts, channelWatchers),
      byTitle: read.foundByTitle,
    },
    posts: createManagePosts(db, changes, config.statisticsOpenDays),
    sample: createSample(db, clock, channelWatchers),
    accounts,
    findOrganizations: read.findOrganizations,
    findWebhooks: read.findWebhooks,
    keys,
    operatorKeys: createOperatorKeys(db, changes, random),
    usage: createUsageStore(db),
    usageHistory: { page: read.selectUsage },
    audit: createAuditLog(db),
    alerts: createAlerts(db, changes, read, ports),
    imports: createImportRuns(importParts, ports),
    ...composeRows(config, ports, { bulk, write: changes }),
    ...composeStaffWebhooks(db, secrets, config, ports),
    people: createPeople(db, changes, async () => authSettings(await secret(db)), clock),
    running: null,
    jobs: composeJobs(config, ports, { db, bulk, isOwn: () => false }),
    sources: composeSources(db, { changes, importSourceFile, applyBatch }, secrets, config, ports),
  };
}

function composeStaffWebhooks(
  db: Database,
  secrets: () => Promise<SecretBox>,
  config: Config,
  ports: Ports,
) {
  const { clock, random, network } = ports;
  const writer = inlineThreads(lanes.write, db, clock).calls;
  const push = inlineThreads(lanes.push, db, clock).calls;
  const guard = createTargetGuard(network.resolve, config.webhookAllow);
  const attemptNow: Sender["attemptNow"] = async (...given) => {
    const makeAttempt = createMakeAttempt(guard, network, await secrets(), clock);
    return createSender(push, makeAttempt, config.webhookRetriesMs, ports).attemptNow(...given);
  };
  const attempts = createManualAttempts(writer, { attemptNow }, () => random.uuid(clock.now()));
  const changes = { ...writer, removeWebhookPart: push.removeWebhookPart };
  return {
    webhooks: createStaffWebhooks(db, writer, secrets, attempts, clock),
    operatorWebhooks: createOperatorWebhooks(db, changes, guard, secrets, attempts, clock),
  };
}
