import { createPictures, PICTURE_WANTED, type Pictures } from "../catalog/channels/pictures.ts";
import { createDownloads } from "../catalog/exports/downloads.ts";
import { createChannelsSeen } from "../catalog/manage/manage-channels.ts";
import { createSiteChannels } from "../catalog/manage/site-channels.ts";
import { createManagePosts } from "../catalog/posts/manage-posts.ts";
import type { Config } from "../config.ts";
import { createAuditLog } from "../customers/audit/audit-log.ts";
import { createKeyToken } from "../customers/keys/key-token.ts";
import { selectRequestLog } from "../customers/limits/request-log.store.ts";
import { createGetGuarded } from "../customers/oauth/get-guarded.ts";
import { isKnownNetwork, networkHash } from "../customers/people/known-networks.ts";
import { selectPeople } from "../customers/people/people.store.ts";
import type { Database } from "../db/database.ts";
import { freeDiskBytes } from "../db/ready-checks.ts";
import { listenerAddress } from "../doors/http/requests/base-address.ts";
import { requestIdOf } from "../doors/http/requests/request-id.ts";
import { createHashingQueue, type HashingQueue } from "../doors/site/guard/hashing-queue.ts";
import { createSentForms } from "../doors/site/guard/sent-forms.ts";
import { createThrottle } from "../doors/site/guard/throttle.ts";
import { createPostMarkdown } from "../doors/site/look/markdown.ts";
import { siteRoutes } from "../doors/site/site.ts";
import type { SiteContext, SitePeople, SiteSignUps } from "../doors/site/site-context.ts";
import type { Ports } from "../ports/ports.ts";
import { createMails } from "../push/mail/mails.ts";
import { channelWatchers } from "../push/webhooks/manage/removed-channels.store.ts";
import { selectHours } from "../upkeep/hours/hours.store.ts";
import { createTargetGuard } from "../values/resolve-target.ts";
import type { DatabaseThreads } from "./database-threads.ts";
import { authSettings, subkey } from "./installation-secret.ts";
import type { WorkerMemory } from "./workers/worker-memory.ts";

/** Parts of the appliance that the site shares with the other doors. */
type Shared = Pick<
  SiteContext,
  | "config"
  | "ports"
  | "baseAddress"
  | "ownAddress"
  | "afterAnswer"
  | "clientIp"
  | "giveTime"
  | "noteRequests"
  | "services"
  | "accounts"
  | "keys"
  | "oauth"
  | "oauthAddress"
  | "webhooks"
  | "imports"
  | "sources"
  | "setUp"
  | "isSignUpOpen"
  | "sample"
  | "firstSteps"
  | "usage"
  | "jobs"
  | "builds"
  | "nodes"
  | "lastBackup"
  | "recentErrors"
>;

/**
 * The account site and staff's console.
 * @param db the connection that serves
 * @param secret the installation's
 * @param memory limits that workers share; this process has its own where there is one
 */
export function composeSite(
  db: Database,
  threads: DatabaseThreads,
  secret: string,
  shared: Shared,
  memory: WorkerMemory | undefined,
) {
  const { config, ports } = shared;
  const { clock, random, log } = ports;
  const isMailSent = sendsLinks(config, ports);
  if (ports.mail !== null && !isMailSent) {
    log.warn({}, "no mail with a link is sent, since KANALOG_BASE_URL is not set");
  }
  const hashing = createHashingQueue();
  return siteRoutes({
    ...shared,
    secret: subkey(secret, "kanalog site forms"),
    requestId: (request) => requestIdOf(request, random, clock),
    people: peopleOf(db, threads, secret, hashing, shared),
    signUps: signUpsOf(threads, secret, hashing, shared),
    audit: createAuditLog(db),
    channels: createSiteChannels(
      createChannelsSeen(db, clock, config.messengerHosts, channelWatchers),
      threads.writer,
      threads.readers.foundByTitle,
      { messengerHosts: config.messengerHosts, openDays: config.statisticsOpenDays },
      () => shared.afterAnswer.run("the work after a changed channel", threads.jobs.followChannels),
    ),
    pictures: picturesOf(ports),
    posts: {
      ...createManagePosts(db, threads.writer, config.statisticsOpenDays),
      found: threads.readers.foundPosts,
    },
    postHtml: createPostMarkdown(config.messengerHosts[0] ?? ""),
    mails: createMails(db, threads.writer.addMail, isMailSent),
    downloads: createDownloads({ ...threads.exports, noteExport: threads.writer.noteExport }, log),
    throttle: createThrottle(memory?.throttle),
    sentForms: memory?.sentForms ?? createSentForms(),
    lastRequests: config.requestLog ? (keyId) => selectRequestLog(db, keyId, clock.now()) : null,
    hoursSince: (sinceMs) => selectHours(db, sinceMs),
    freeDiskBytes: () => freeDiskBytes(db, ports.system),
    databaseFacts: threads.readers.readDatabaseFacts,
  });
}

/** Pictures lie on the public internet: no network of the operator's is exempt. */
function picturesOf({ network, clock }: Ports): Pictures {
  const guard = createTargetGuard(network.resolve, []);
  return createPictures(createGetGuarded(guard, network, PICTURE_WANTED), clock);
}

function peopleOf(
  db: Database,
  { people, sessions }: DatabaseThreads,
  secret: string,
  hashing: HashingQueue,
  { ports }: Shared,
): SitePeople {
  const settings = authSettings(secret);
  const networkKey = subkey(secret, "kanalog known networks");
  return {
    knowsNetwork: (email, network) =>
      isKnownNetwork(db, ports.clock.now(), { email, network: networkHash(networkKey, network) }),
    signIn: ({ network, isKnownNetwork: isKnown, ...input }) =>
      hashing.run(isKnown ? "known-sign-in" : "sign-in", network, () =>
        people.signIn({ settings, network: networkHash(networkKey, network), ...input }),
      ),
    signedIn: (cookie) => sessions.signedIn({ settings, cookie }),
    signOut: (cookie) => sessions.signOut({ settings, cookie }),
    passwordLink: (link) => people.passwordLink({ settings, ...link }),
    opensLink: (token) => sessions.opensLink({ settings, token }),
    choosePassword: async ({ network, ...input }) =>
      (await sessions.opensLink({ settings, token: input.token })) &&
      hashing.run("choose-password", network, () => people.choosePassword({ settings, ...input })),
    changePassword: ({ network, ...input }) =>
      hashing.run("change-password", network, () => people.changePassword({ settings, ...input })),
    ensurePerson: (input) => people.ensurePerson({ settings, ...input }),
    setUpPerson: ({ network, ...input }) =>
      hashing.run("set-up", network, () => people.setUpPerson({ settings, ...input })),
    markStaff: people.markStaff,
    endSessions: (email, by) => people.endSessions({ email, by }),
    endSessionsOfSuspended: people.endSessionsOfSuspended,
    distrust: people.distrust,
    people: () => selectPeople(db, ports.clock.now()),
  };
}

function signUpsOf(
  { people }: DatabaseThreads,
  secret: string,
  hashing: HashingQueue,
  { ports: { clock, random } }: Shared,
): SiteSignUps {
  const settings = authSettings(secret);
  return {
    begin: people.beginSignUp,
    opens: people.opensSignUp,
    async end({ network, ...input }) {
      const keyToken = createKeyToken("read_only", random);
      const [personId, credentialId] = [random.uuid(clock.now()), random.uuid(clock.now())];
      const made = { settings, keyToken, personId, credentialId };
      const isMade = await hashing.run("sign-up", network, () =>
        people.endSignUp({ ...input, ...made }),
      );
      return isMade ? { keyToken } : null;
    },
  };
}

/** Whether mails with links are sent. */
export function sendsLinks(config: Config, { mail }: Pick<Ports, "mail">): boolean {
  return mail !== null && knowsItsAddress(config);
}

/**
 * Whether the appliance knows its address. Without it a mail's link would lead to the host that a
 * request names, and its token to whoever asked for the mail in somebody else's name.
 */
function knowsItsAddress({ baseUrl, host, port }: Shared["config"]): boolean {
  return baseUrl !== null || listenerAddress(host, port) !== null;
}
