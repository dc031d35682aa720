import { createCardsReadAhead } from "../catalog/channels/read-ahead.ts";
import { createImportRuns } from "../catalog/imports/import-runs.ts";
import type { Upload } from "../catalog/imports/run-upload.ts";
import { createUploadFiles } from "../catalog/imports/upload-files.ts";
import { createAccounts } from "../customers/accounts/accounts.ts";
import { createKeys } from "../customers/keys/keys.ts";
import { accessTokens } from "../customers/oauth/access-tokens.ts";
import { createMailer, type Mailer } from "../push/mail/mailer.ts";
import { isMailDue } from "../push/mail/mails.store.ts";
import { createBuilds } from "../upkeep/jobs/builds.ts";
import { composeAnswers } from "./compose-answers.ts";
import type { Base } from "./compose-base.ts";
import { composeJobs } from "./compose-jobs.ts";
import { composeLimits } from "./compose-limits.ts";
import { composeServices } from "./compose-services.ts";
import { composeSources } from "./compose-sources.ts";
import { composeWebhooks } from "./compose-webhooks.ts";

/** The domains at work, behind no door yet. */
export type Work = Awaited<ReturnType<typeof composeWork>>;

/** Composes what the doors ask, and what is done by the clock. */
export async function composeWork(base: Base) {
  return { ...composeCustomers(base), ...(await composeUpkeep(base)) };
}

function composeCustomers(base: Base) {
  const { config, ports, db, threads, secrets, cluster } = base;
  const { counted } = base.metrics;
  const memory = base.crew?.memory;
  const accounts = createAccounts(db, threads.writer);
  const tokens = config.oauth ? accessTokens : null;
  const keys = createKeys(db, threads.writer, ports.random, tokens);
  const { keyUse, usage, limits, commitCheck } = composeLimits(
    ...[db, threads, ports, counted, memory?.rates, cluster],
  );
  const hooks = composeWebhooks(
    ...[db, threads, secrets, config, ports, counted, memory?.manualAttempts],
  );
  const { webhooks, alerts } = hooks;
  const built = { keyUse, limits, webhooks, alerts, copyNewest: cluster.copyNewest };
  return {
    ...{ accounts, keys, keyUse, usage, commitCheck, hooks },
    mailer: composeMailer(base),
    services: composeServices(db, threads, config, ports, built, memory),
  };
}

async function composeUpkeep(base: Base) {
  const { config, ports, db, threads, metrics, lease, cluster, others } = base;
  const { isOwn } = cluster.upkeep;
  const { scheduler, newestBackup } = composeJobs(db, threads, config, ports, metrics.counted, {
    ...{ isOwn, isOwnOfNode: lease.isOwn },
  });
  const { messengerHosts, postSearch, statisticsOpenDays: openDays } = config;
  const runUpload = (upload: Upload) =>
    threads.imports.runUpload({ ...upload, messengerHosts, openDays });
  const files = createUploadFiles(config.databasePath, ports);
  const imports = createImportRuns(db, threads.writer, runUpload, files, ports, others.uploads);
  await imports.recover();
  const { importSourceFile } = threads.sources;
  const { applyBatch } = threads.bots;
  return {
    ...{ scheduler, newestBackup, imports },
    sources: composeSources(
      db,
      { changes: threads.writer, importSourceFile, applyBatch },
      async () => base.secrets,
      config,
      ports,
    ),
    builds: createBuilds(db, threads.jobs.buildSome, { messengerHosts, postSearch }, ports.log),
    readAhead: createCardsReadAhead(threads.exports.readCardsAhead, ports.log),
    answers: composeAnswers(threads, config, ports),
  };
}

function composeMailer({ db, threads: { push }, ports }: Base): Mailer {
  const isDue = (nowMs: number) => isMailDue(db, nowMs);
  const queue = {
    ...{ isDue, claim: push.claimMail, end: push.endMail },
    dropOld: push.dropOldMails,
  };
  return createMailer(queue, ports.mail, ports);
}
