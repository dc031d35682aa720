import type { Pictures } from "../../catalog/channels/pictures.ts";
import type { ImportRuns } from "../../catalog/imports/runs/import-runs.ts";
import type { SiteChannels } from "../../catalog/manage/manage-channels.ts";
import type { PostIndexing } from "../../catalog/post-search/catch-up.ts";
import type { ManagePosts, PostsFound, PostsRequest } from "../../catalog/posts/manage-posts.ts";
import type { Sample } from "../../catalog/sample/sample.ts";
import type { Sources } from "../../catalog/sources/sources.ts";
import type { NodeState } from "../../cluster/cluster-state.ts";
import type { Config } from "../../config.ts";
import type { LoggedRequest } from "../../customers/limits/request-log.ts";
import type { OAuth } from "../../customers/oauth/oauth.ts";
import type { SitePeople } from "../../customers/people/site-people.ts";
import type { Stripe } from "../../customers/selling/stripe.ts";
import type { SiteSignUps } from "../../customers/sign-up/sign-up.ts";
import type { RecentEntry } from "../../ports/log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Mails } from "../../push/mail/mailer.ts";
import type { BackupFile } from "../../upkeep/backups/backup-files.ts";
import type { FirstSteps, StaffSummary } from "../../upkeep/checks/staff-summary.ts";
import type { Hour } from "../../upkeep/hours/hours.store.ts";
import type { Scheduler } from "../../upkeep/jobs/scheduler.ts";
import type { NoteRequests } from "../../upkeep/metrics/note-request.ts";
import type { OperatorServices } from "../../verbs/operator/resource.ts";
import type { Services } from "../../verbs/services.ts";
import type { AfterAnswer } from "./guard/after-answer.ts";
import type { SentForms } from "./guard/csrf.ts";
import type { SetUp } from "./guard/set-up.ts";
import type { Throttle } from "./guard/throttle.ts";
import type { PostMarkdown } from "./look/post-excerpt.tsx";

/** What pages and forms work with. Functions that change something also commit the change. */
export interface SiteContext extends OperatorServices {
  config: Config;
  ports: Ports;
  /** Key that signs form tokens. */
  secret: string;
  /** The appliance's address, for links in mails. */
  baseAddress(request: Request): string;
  /** The appliance's address as this visitor's browser sees it, for instance through a proxy. */
  ownAddress(request: Request): string;
  /** Id by which the log identifies a request. */
  requestId(request: Request): string;
  noteRequests: NoteRequests;
  clientIp(request: Request): string;
  /** Sets how long a request's connection may be silent, and its body may take. */
  giveTime(request: Request, silenceMaxS: number): void;
  /** The appliance's address, if assistants may sign in with OAuth; otherwise null. */
  oauthAddress(): string | null;
  /** Null unless plans are sold through Stripe. */
  stripe: Stripe | null;
  oauth: OAuth;
  services: Services;
  people: SitePeople;
  channels: SiteChannels;
  pictures: Pictures;
  posts: ManagePosts & { found(request: PostsRequest): Promise<PostsFound> };
  sample: Pick<Sample, "ids" | "hasOwnChannels" | "remove">;
  firstSteps: FirstSteps;
  imports: ImportRuns;
  sources: Sources;
  postHtml: PostMarkdown;
  mails: Mails;
  setUp: SetUp;
  isSignUpOpen(): Promise<boolean>;
  signUps: SiteSignUps;
  throttle: Throttle;
  sentForms: SentForms;
  afterAnswer: Pick<AfterAnswer, "run">;
  /** What the console counts of customers, and those that it names. */
  staffSummary(at: { nowMs: number }): Promise<StaffSummary>;
  /** A key's latest requests, latest first; null if they are not logged. */
  lastRequests: ((keyId: number) => Promise<LoggedRequest[]>) | null;
  jobs: Scheduler;
  /** Progress of the index of post search while it is being built. */
  postIndexPercent: PostIndexing["percent"];
  /** The cluster's nodes; null on a standalone appliance. */
  nodes: (() => Promise<NodeState[]>) | null;
  hoursSince(sinceMs: number): Promise<Hour[]>;
  /** Free space on the database's disk; null if the system does not report it. */
  freeDiskBytes(): Promise<number | null>;
  databaseFacts(): Promise<DatabaseFacts>;
  /** The latest daily backup; null if there is none. */
  lastBackup(): Promise<BackupFile | null>;
  /** Recent warnings and errors of this process and the other workers, latest first. */
  recentErrors(): Promise<RecentEntry[]>;
}

/** How large the database is, and what it contains. */
export interface DatabaseFacts {
  fileBytes: number;
  walBytes: number;
  pageBytes: number;
  pages: number;
  freePages: number;
  schemaVersion: number;
  sqliteVersion: string;
  searchSegments: number;
  /** @property isMore there are more rows than were counted */
  tables: { name: string; rows: number; isMore: boolean }[];
}
