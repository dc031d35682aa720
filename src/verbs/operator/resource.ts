import type { ChannelRecord } from "../../catalog/channels/card.ts";
import type { BulkFile } from "../../catalog/exports/bulk.ts";
import type { ExportWish } from "../../catalog/exports/export-selection.ts";
import type { ImportRuns } from "../../catalog/imports/runs/import-runs.ts";
import type { NewUpload } from "../../catalog/imports/runs/upload-files.ts";
import type { PushedRows } from "../../catalog/imports/writing/push-rows.ts";
import type { WrittenRow } from "../../catalog/imports/writing/write-rows.ts";
import type { TitleSearch } from "../../catalog/manage/found-channels.store.ts";
import type { ManageChannels } from "../../catalog/manage/manage-channels.ts";
import type { ManagePosts } from "../../catalog/posts/manage-posts.ts";
import type { Sources } from "../../catalog/sources/sources.ts";
import type { OrganizationsPart } from "../../customers/accounts/accounts.store.ts";
import type { Organization } from "../../customers/accounts/accounts.table.ts";
import type { Accounts } from "../../customers/accounts/accounts.ts";
import type { Actor, AuditLog } from "../../customers/audit/audit-log.ts";
import type { Keys } from "../../customers/keys/keys.ts";
import type { Usage } from "../../customers/limits/usage.ts";
import type { OperatorKeys } from "../../customers/operator-keys/operator-keys.ts";
import type { People } from "../../customers/people/site-people.ts";
import { AppError, fieldError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Alerts } from "../../push/webhooks/alerts/alerts.ts";
import type { OperatorWebhooks } from "../../push/webhooks/manage/operator-webhooks.ts";
import type { StaffWebhooks } from "../../push/webhooks/manage/staff-webhooks.ts";
import type { ListedWebhook, WebhooksPart } from "../../push/webhooks/manage/webhooks.store.ts";
import type { BackupFile } from "../../upkeep/backups/backup-files.ts";
import type { Readiness } from "../../upkeep/checks/readiness.ts";
import type { Scheduler } from "../../upkeep/jobs/scheduler.ts";
import { parseNumber, type Read, readOneOf } from "../../values/fields.ts";
import { type Message, message } from "../../values/messages/messages.ts";
import { startOfDay } from "../../values/moscow-time.ts";
import type { Schema } from "../../values/schema.ts";
import type { Takes } from "../../values/takes.ts";
import type { FileAnswer } from "../method.ts";
import type { Position } from "../paging.ts";
import { type Arguments, day, integer, type Parameter, type Parameters } from "../parameters.ts";
import type { Services } from "../services.ts";

/**
 * Resources: what an operator manages, each declared once with its verbs. The operator's API, the commands
 * and the forms of staff's console are derived from these declarations; pages are composed by hand.
 */

/** The domains that verbs call; a command and the server each bring their own. */
export interface OperatorServices {
  clock: Pick<Clock, "now">;
  accounts: Accounts;
  findOrganizations(part: OrganizationsPart): Promise<Organization[]>;
  findWebhooks(part: WebhooksPart): Promise<ListedWebhook[]>;
  keys: Keys;
  webhooks: StaffWebhooks;
  operatorKeys: OperatorKeys;
  operatorWebhooks: OperatorWebhooks;
  usage: Pick<Usage, "used">;
  usageHistory: Pick<Services["usageHistory"], "page">;
  audit: AuditLog;
  alerts: Pick<Alerts, "list" | "ofAnybody">;
  channels: Pick<
    ManageChannels,
    "find" | "findRemoved" | "numbered" | "page" | "delete" | "merge" | "restore"
  > & {
    setPublic(id: number, isPublic: boolean, by: Actor): Promise<unknown>;
    byTitle(search: TitleSearch): Promise<ChannelRecord[]>;
  };
  posts: Pick<ManagePosts, "posts" | "delete">;
  /** Rows as a file. @throws AppError `invalid` by field, `conflict` while another export is in progress */
  openExport(wish: Omit<ExportWish, "hosts" | "openDays">, by: Actor): Promise<BulkFile>;
  sources: Pick<
    Sources,
    | "add"
    | "addBot"
    | "list"
    | "find"
    | "requestRun"
    | "pauseSource"
    | "resumeSource"
    | "removeSource"
    | "setTimeLimit"
    | "setPushes"
  >;
  dailyBackups(): Promise<BackupFile[]>;
  /** A serving process's own state; null for a command. */
  running: { ready(): Promise<Readiness>; metrics(): Promise<string> } | null;
  jobs: Pick<Scheduler, "list" | "runNow">;
  imports: Pick<ImportRuns, "start" | "ended" | "run" | "runs" | "rejects">;
  pushRows(pushed: Omit<PushedRows, "messengerHosts" | "openDays">): Promise<WrittenRow[]>;
  people: People;
}

/** One use of a verb, beside its arguments. */
export interface Use<Id = number> {
  services: OperatorServices;
  by: Actor;
  nowMs: number;
  /** Key of the object that the verb concerns, if it concerns one. */
  id: Id;
  /** The file that a program sent as its request's body. */
  file: Omit<NewUpload["file"], "name"> | null;
  /** Which rows of a list are wanted: those after a position, by the list's `rows`; null for the first. */
  part: { after: Position | null; limit: number };
  /** Tells a person something beside the result. */
  note(text: Message): void;
  /** Address at which somebody chooses a password, once. */
  linkTo(token: string): string;
}

/** A row as answers and tables show it, by the names of the resource's schema. */
export type Row = Readonly<Record<string, unknown>>;

// biome-ignore lint/suspicious/noExplicitAny: resources hold verbs of differing arguments and keys
export interface Verb<P extends Parameters = any, Id = any> {
  name: string;
  /** Begins in lower case: "archive an organization". */
  title: string;
  /** Whether it concerns one object. */
  on: "one" | "none";
  /** Whether it changes nothing. */
  isRead?: true;
  /** For a list: the fields that identify its rows, by which they are ordered. */
  rows?: readonly string[];
  args: P;
  /** What a request's body may be, if it is larger than a few arguments. */
  takes?: Takes;
  /** Whether only programs use it; in a terminal, another command does the same. */
  isForPrograms?: true;
  /** Arguments that a command takes by their position. */
  positional?: readonly (keyof P)[];
  /** Schema of the result, if it is not the resource's own. */
  result?: Schema<unknown>;
  /** Media types of a result that is a file. */
  fileTypes?: readonly string[];
  /** Question that a person in a terminal confirms before it is done; null if none is needed. */
  asks?(args: Arguments<P>, use: Use<Id>): string | null | Promise<string | null>;
  run(args: Arguments<P>, use: Use<Id>): Promise<Row | Row[] | FileAnswer>;
  /** Takes back what was made, if its secret could not be shown to anybody. @returns what was done */
  unseen?(made: Row, use: Use<Id>): Promise<string>;
}

/** A verb as declared: it concerns one object and takes no arguments, unless it says otherwise. */
type Declared<P extends Parameters, Id> = Omit<Verb<P, Id>, "on" | "args"> & {
  on?: "none";
  args?: P;
};

/** Infers the types of `run` from `args`. */
export function verb<P extends Parameters = Record<never, never>, Id = number>(
  declared: Declared<P, Id>,
): Verb {
  return { on: "one", args: {}, ...declared };
}

type Unnamed<P extends Parameters, Id> = Omit<Declared<P, Id>, "name" | "on" | "isRead">;

/** The list of a resource, by number unless `rows` says otherwise. */
export function list<P extends Parameters = Record<never, never>>(
  declared: Unnamed<P, number>,
): Verb {
  return verb({ name: "list", on: "none", isRead: true, rows: ["id"], ...declared });
}

/** A single object of a resource. */
export function show<Id = number>(declared: Unnamed<Record<never, never>, Id>): Verb {
  return verb<Record<never, never>, Id>({ name: "show", isRead: true, ...declared });
}

export interface Resource {
  /** In the singular, as errors and the audit log call it. */
  name: string;
  /** The words of its command. */
  command: string;
  /** Its folder of the operator's API. */
  path: string;
  /** Which keys of the operator's API may change it. */
  area: "customers" | "data" | "system";
  title: string;
  schema: Schema<unknown>;
  id: Parameter<unknown>;
  /** How a command may name one, such as "its number or name". */
  hint: string;
  /** Key of the object that a command names. @throws AppError `not_found`; `invalid` if it is several */
  find(text: string, services: OperatorServices): Promise<unknown>;
  verbs: readonly Verb[];
}

/** The number by which lists, addresses and commands name an object. */
const numberId: Parameter<number> = {
  ...integer("Its number.", { example: 1, minimum: 0 }),
  in: "path",
  required: true,
};

type Own = "name" | "area" | "title" | "schema" | "verbs";

/** A resource whose objects have numbers, and are called by its name, unless it says otherwise. */
export function resource(declared: Pick<Resource, Own> & Partial<Resource>): Resource {
  const command = declared.name.replaceAll(" ", "-");
  return {
    command,
    path: `${command}s`,
    id: numberId,
    hint: "its number",
    find: async (text) => parseNumber(text),
    ...declared,
  };
}

/** An argument that names another object: by its number in the API, by number or name in commands. */
interface Reference extends Parameter<number> {
  refersTo: Pick<Resource, "find" | "hint">;
}

export function reference(refersTo: Reference["refersTo"], description: string) {
  const parameter = integer(description, { example: 1, minimum: 0 });
  return { ...parameter, required: true, refersTo } as Reference & { required: true };
}

export function isReference(parameter: Parameter<unknown>): parameter is Reference {
  return "refersTo" in parameter;
}

/** An argument that names one of what there is, such as a plan; others are refused with all that there is. */
interface OneOf extends Parameter<string> {
  among(services: OperatorServices): Promise<readonly string[]>;
}

export function oneOf(parameter: Parameter<string>, among: OneOf["among"]): OneOf {
  return { ...parameter, among };
}

/** Arguments that also know what there is now, so that a name of nothing is told with the other faults. */
export async function informed(
  parameters: Parameters,
  services: OperatorServices,
): Promise<Parameters> {
  const all = Object.entries<Parameter<unknown>>(parameters).map(async ([name, parameter]) =>
    "among" in parameter
      ? [name, { ...parameter, read: readOneOf(await (parameter as OneOf).among(services)) }]
      : [name, parameter],
  );
  return Object.fromEntries(await Promise.all(all));
}

/** A last day, read as the instant at which it ends in Moscow. */
export function lastDay(description: string): Parameter<number> {
  const { schema, read } = day(description, { example: "2027-12-31" });
  return {
    in: "query",
    required: false,
    schema,
    read(given): Read<number> {
      const found = read(given);
      return "fault" in found ? found : { value: startOfDay(found.value + 1) };
    },
  };
}

/** A row's place in its list. */
export function positionOf(row: Row, fields: readonly string[]): Position {
  return fields.map((name) => row[name]) as unknown as Position;
}

/** Number of the row before a part, in a list by number; null for the first part. */
export function numberBefore({ after }: Use["part"]): number | null {
  return (after?.[0] ?? null) as number | null;
}

/** Those of all things, by number, that a list's part wants. */
export function inPart<Thing extends { id: number }>(
  things: readonly Thing[],
  part: Use["part"],
): Thing[] {
  return things.filter(({ id }) => id > (numberBefore(part) ?? 0)).slice(0, part.limit);
}

/** @throws AppError `invalid` if a change changes nothing */
export function requireSome(change: object, args: Parameters): void {
  if (Object.keys(change).length > 0) return;
  throw fieldError({ non_field_errors: [message("giveOneOf", { names: Object.keys(args) })] });
}

/** Those of all rows that a list's part wants, if what identifies them is a name. */
export function namedInPart(
  rows: readonly Row[],
  name: string,
  { after, limit }: Use["part"],
): Row[] {
  const from = after === null ? 0 : rows.findIndex((row) => row[name] === after[0]) + 1;
  return rows.slice(from, from + limit);
}

/** Number of the object that a text names, by its number or otherwise. @throws AppError as `onlyOne` */
export async function findNamed<Thing extends { id: number }>(
  kind: string,
  text: string,
  named: (name: string) => Promise<readonly Thing[]>,
  shown: (thing: Thing) => string,
): Promise<number> {
  return parseNumber(text) ?? onlyOne(kind, text, await named(text.trim()), shown);
}

/**
 * The only object with a name.
 * @param shown text by which people tell several of one name apart
 * @throws AppError `not_found` if there is none; `invalid` if there are several
 */
export function onlyOne<Thing extends { id: number }>(
  kind: string,
  name: string,
  named: readonly Thing[],
  shown: (thing: Thing) => string,
): number {
  const [first, ...others] = named;
  const quoted = JSON.stringify(name);
  if (first === undefined) {
    throw new AppError("not_found", message("noneNamed", { kind, name: quoted }));
  }
  if (others.length === 0) return first.id;
  const all = named.map((thing) => `${thing.id} (${shown(thing)})`).join(", ");
  throw new AppError("invalid", message("severalNamed", { name: quoted, all }));
}
