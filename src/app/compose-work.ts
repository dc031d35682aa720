import { createCardsReadAhead } from "../catalog/channels/read-ahead.ts";
import { createImportRuns } from "../catalog/imports/runs/import-runs.ts";
import type { Upload } from "../catalog/imports/runs/run-upload.ts";
import { createUploadFiles } from "../catalog/imports/runs/upload-files.ts";
import { createPostIndexing } from "../catalog/post-search/catch-up.ts";
import { createAccounts } from "../customers/accounts/accounts.ts";
import { createKeys, type Keys } from "../customers/keys/keys.ts";
import { type AnsweredRequest, createRequestLog } from "../customers/limits/request-log.ts";
import { accessTokens } from "../customers/oauth/access-tokens.ts";
import { createHours } from "../upkeep/hours/hours.ts";
import type { Base } from "./compose-base.ts";
import { composeJobs } from "./compose-jobs.ts";
import { composeLimits } from "./compose-limits.ts";
import { composeMailer, composeWebhooks } from "./compose-push.ts";
import { composeServices } from "./compose-services.ts";
import { composeSources } from "./compose-sources.ts";

/** The domains at work, before any door is put in front of them. */
export type Work = Awaited<ReturnType<typeof composeWork>>;

/** Composes what the doors call and what runs on timers. */
export async function composeWork(base: Base) {
  return { ...composeCustomers(base), ...(await composeUpkeep(base)) };
}

function composeCustomers(base: Base) {
  const { config, ports, db, threads } = base;
  const accounts = createAccounts(db, threads.write);
  const tokens = config.oauth ? accessTokens : null;
  const keys = createKeys(db, threads.write, ports.random, tokens);
  // A wrong clock would let an expired key in, or keep a valid one out.
  const verify: Keys["verify"] = (header, nowMs) => {
    base.readClock();
    return keys.verify(header, nowMs);
  };
  const { keyUse, usage, limits, commitCheck } = composeLimits(base);
  const hooks = composeWebhooks(base);
  const { webhooks, alerts } = hooks;
  return {
    ...{ accounts, keys: { ...keys, verify }, keyUse, usage, commitCheck, hooks },
    mailer: composeMailer(base),
    services: composeServices(base, { keyUse, limits, webhooks, alerts }),
  };
}

async function composeUpkeep(base: Base) {
  const { config, ports, db, threads, others } = base;
  const { messengerHosts, postSearch, statisticsOpenDays: openDays } = config;
  const runUpload = (upload: Upload) =>
    threads.bulk.runUpload({ ...upload, messengerHosts, openDays });
  const files = createUploadFiles(config.databasePath, ports);
  const importParts = { db, changes: threads.write, runUpload, files };
  const imports = createImportRuns(importParts, ports, others.uploads);
  await imports.recover();
  const writing = { changes: threads.write, ...threads.bulk };
  return {
    ...composeJobs(base),
    imports,
    sources: composeSources(db, writing, async () => base.secrets, config, ports),
    postIndex: createPostIndexing(db, threads.bulk.catchUpPosts, postSearch, ports.log),
    readAhead: createCardsReadAhead(threads.bulk.readCardsAhead, ports.log),
    answers: composeAnswers(base),
  };
}

/** Records of answered requests: the request log that key owners see, and the hourly counters for staff. */
function composeAnswers({ config, ports, threads: { push } }: Base) {
  const requests = createRequestLog(config.requestLog ? push.writeRequestLog : null, ports.log);
  const hours = createHours(push.writeHour, ports);
  return {
    note(keyId: number, answered: AnsweredRequest): void {
      requests.note(keyId, answered);
      hours.note(answered);
    },

    /** Writes pending records, a long request log in portions. Never throws. */
    async flush(): Promise<void> {
      await requests.flush();
      await hours.flush();
    },

    /** Writes all pending records. Never throws. */
    async settled(): Promise<void> {
      await requests.settled();
      await hours.flush();
    },
  };
}
