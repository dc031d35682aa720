import { createPictures, PICTURE_REQUEST } from "../../catalog/channels/pictures.ts";
import { createChannelsSeen, createSiteChannels } from "../../catalog/manage/manage-channels.ts";
import { createManagePosts } from "../../catalog/posts/manage-posts.ts";
import { demoPicture } from "../../catalog/sample/demo-world.ts";
import { createSample } from "../../catalog/sample/sample.ts";
import type { Config } from "../../config.ts";
import { createAuditLog } from "../../customers/audit/audit-log.ts";
import { selectRequestLog } from "../../customers/limits/request-log.store.ts";
import { createGetGuarded } from "../../customers/oauth/client-documents.ts";
import { DOCUMENT_LIMITS } from "../../customers/oauth/client-metadata.ts";
import { createOAuth } from "../../customers/oauth/oauth.ts";
import { createOperatorKeys } from "../../customers/operator-keys/operator-keys.ts";
import { createHashingQueue } from "../../customers/people/hashing-queue.ts";
import { createSitePeople } from "../../customers/people/site-people.ts";
import { createSiteSignUps } from "../../customers/sign-up/sign-up.ts";
import { freeDiskBytes } from "../../db/file/database-facts.ts";
import { readMeta } from "../../db/meta.ts";
import { requestIdOf } from "../../doors/http/requests/base-address.ts";
import type { AfterAnswer } from "../../doors/site/guard/after-answer.ts";
import { createSentForms } from "../../doors/site/guard/csrf.ts";
import { createThrottle, throttleBuckets } from "../../doors/site/guard/throttle.ts";
import { createPostMarkdown } from "../../doors/site/look/post-excerpt.tsx";
import { drawPng } from "../../doors/site/public/pictures/draw-png.ts";
import type { Ports } from "../../ports/ports.ts";
import { createMails } from "../../push/mail/mailer.ts";
import { channelWatchers } from "../../push/webhooks/manage/watched-channels.store.ts";
import { selectHours } from "../../upkeep/hours/hours.store.ts";
import { createTargetGuard } from "../../values/network/target-guard.ts";
import type { OperatorServices } from "../../verbs/operator/resource.ts";
import { authSettings, subkey } from "../installation-secret.ts";
import { type Base, linkAddress } from "./base.ts";
import { composeRows } from "./jobs.ts";
import type { Work } from "./work.ts";

/** What the account site and staff's console need on top of every door's parts. */
export function composeSite(
  base: Base,
  work: Work,
  afterAnswer: AfterAnswer,
  running: OperatorServices["running"],
) {
  const { config, ports, db, threads, secret, others, recentLog, cluster } = base;
  const { clock, random, log } = ports;
  const { accounts, stripe, keys, usage, imports, sources, hooks } = work;
  const { scheduler, postIndex, lastBackup, services } = work;
  const memory = base.crew?.memory;
  const isMailSent = linkAddress(config, ports) !== null;
  if (ports.mail !== null && !isMailSent) {
    log.warn({}, "mails with links are not sent, because KANALOG_BASE_URL is not set");
  }
  return {
    clock,
    running,
    findOrganizations: threads.read.findOrganizations,
    findWebhooks: threads.read.findWebhooks,
    usageHistory: services.usageHistory,
    alerts: services.alerts,
    ...composeRows(config, ports, threads),
    accounts,
    stripe,
    keys,
    usage,
    imports,
    sources,
    operatorKeys: createOperatorKeys(db, threads.write, random),
    ...composePeople(base),
    ...composeOutside(base),
    ...composeCatalog(base, afterAnswer),
    webhooks: hooks.staffWebhooks,
    operatorWebhooks: hooks.operatorWebhooks,
    secret: subkey(secret, "kanalog site forms"),
    requestId: (request: Request) => requestIdOf(request, random, clock),
    audit: createAuditLog(db),
    mails: createMails(db, threads.write.addMail, isMailSent),
    throttle: createThrottle(memory?.throttle ?? throttleBuckets(clock.now())),
    sentForms: memory?.sentForms ?? createSentForms(),
    lastRequests: config.requestLog
      ? async (keyId: number) => selectRequestLog(db, keyId, clock.now())
      : null,
    jobs: scheduler,
    postIndexPercent: postIndex.percent,
    nodes: cluster.nodes,
    lastBackup,
    recentErrors: () => others.errors(recentLog.entries()),
    staffSummary: threads.read.summarizeForStaff,
    hoursSince: (sinceMs: number) => selectHours(db, sinceMs),
    freeDiskBytes: () => freeDiskBytes(db, ports.system),
    databaseFacts: threads.read.readDatabaseFacts,
  };
}

function composePeople({ db, threads, secret, ports }: Base) {
  const hashing = createHashingQueue();
  const settings = authSettings(secret);
  const networkKey = subkey(secret, "kanalog known networks");
  return {
    people: createSitePeople(db, threads.write, { settings, networkKey }, hashing, ports.clock),
    signUps: createSiteSignUps(threads.write, settings, hashing, ports),
  };
}

/**
 * Fetchers of the site: documents of OAuth clients and channels' pictures. Only public addresses are
 * allowed; unlike for webhooks and sources, no network of the operator's is exempt.
 */
function composeOutside({ db, threads, ports }: Base) {
  const { network, clock } = ports;
  const guard = createTargetGuard(network.resolve, []);
  return {
    oauth: createOAuth(
      db,
      threads.write,
      ports,
      createGetGuarded(guard, network, DOCUMENT_LIMITS),
      readMeta(db, "cursor_secret"),
    ),
    pictures: createPictures(withDemo(createGetGuarded(guard, network, PICTURE_REQUEST)), clock),
  };
}

/** Pictures of the demonstration's channels are drawn here: their host exists nowhere. */
const withDemo =
  (get: (address: string) => Promise<Uint8Array | null>) => async (address: string) => {
    const drawing = demoPicture(address);
    return drawing === null ? get(address) : drawPng(drawing);
  };

function composeCatalog({ config, ports: { clock }, db, threads }: Base, { run }: AfterAnswer) {
  const { messengerHosts, statisticsOpenDays: openDays } = config;
  const { write, read, bulk } = threads;
  return {
    channels: createSiteChannels(
      createChannelsSeen(db, clock, messengerHosts, channelWatchers),
      write,
      read.foundByTitle,
      { messengerHosts, openDays },
      () => run("the work after a changed channel", bulk.followChannels),
    ),
    posts: { ...createManagePosts(db, write, openDays), found: read.foundPosts },
    postHtml: createPostMarkdown(messengerHosts[0] ?? ""),
    sample: { ...createSample(db, clock, channelWatchers), remove: write.removeSample },
  };
}

/**
 * Whether visitors may create accounts. That takes the setting, working mail links, and an existing
 * account: the first person to arrive is the operator and uses the set-up page.
 */
export function composeSignUp(
  config: Config,
  ports: Pick<Ports, "mail" | "log">,
  isSetUpNeeded: () => Promise<boolean>,
): () => Promise<boolean> {
  const canSend = linkAddress(config, ports) !== null;
  if (config.signUp && !canSend) {
    ports.log.warn(
      {},
      "KANALOG_SIGN_UP is off despite its value: mails need KANALOG_SMTP_URL and KANALOG_BASE_URL",
    );
  }
  return async () => config.signUp && canSend && !(await isSetUpNeeded());
}
