import { EXPORT_SILENCE_MAX_S } from "../../catalog/exports/bulk.ts";
import { UPLOAD_MAX_S, type UploadFiles } from "../../catalog/imports/runs/upload-files.ts";
import type { Actor } from "../../customers/audit/audit-log.ts";
import type { IdempotentRequests } from "../../customers/idempotency/idempotent-requests.ts";
import type { Ability, OperatorKey } from "../../customers/operator-keys/operator-keys.table.ts";
import { type OperatorKeys, operatorActor } from "../../customers/operator-keys/operator-keys.ts";
import { AppError } from "../../errors.ts";
import { type NoteRequests, noted, OTHER } from "../../upkeep/metrics/note-request.ts";
import { jsonTextOf } from "../../values/json-text.ts";
import { message } from "../../values/messages/messages.ts";
import { FileAnswer } from "../../verbs/method.ts";
import { type Endpoint, runEndpoint } from "../../verbs/operator/endpoint.ts";
import type { OperatorServices } from "../../verbs/operator/resource.ts";
import type { Cursors } from "../../verbs/paging.ts";
import { UNDECODABLE } from "../../verbs/read-arguments.ts";
import { type Incoming, limitedByKey, type Route } from "../front/front.ts";
import {
  type AnswerContext,
  commonHeaders,
  errorAnswer,
  fileResponse,
  json,
  redirectToSlash,
  wrongVerb,
} from "./answers.ts";
import { type BaseAddress, pathOf, readQuery } from "./requests/base-address.ts";
import { type Bodies, type ReceivedFile, readJsonBody, receiveFile } from "./requests/body.ts";

interface OperatorContext extends AnswerContext {
  baseAddress: BaseAddress;
  noteRequests: NoteRequests;
  bodies: Bodies;
  cursors: Cursors;
  operatorKeys: OperatorKeys;
  /** Updates this node's copy of the cluster's rows; false if it was already up to date. */
  copyNewest(): Promise<boolean>;
  idempotent: IdempotentRequests;
  operator: OperatorServices;
  /** Files that are sent on their way into the database. */
  files: Pick<UploadFiles, "newPath" | "remove">;
  /** Sets how long a request's connection may be silent. */
  giveTime(request: Request, silenceMaxS: number): void;
  /** Address at which somebody chooses a password, once. */
  passwordAddress(address: string, token: string): string;
  /** Takes an attempt with a wrong key from the client's network. @returns seconds to wait; null if none */
  takeWrongKey(request: Request, nowMs: number): number | null;
}

const IDEMPOTENCY_KEY = "idempotency-key";
const IDEMPOTENCY_KEY_LENGTH_MAX = 255;

/**
 * `/operator/v1/`: the verbs of all resources, for the operator's own programs. Checked in this order:
 * route, key, verb, what the key may do, then arguments.
 */
export function operatorRoutes(endpoints: readonly Endpoint[], context: OperatorContext): Route[] {
  const { monotonic } = context.ports.clock;
  const noteOther = context.noteRequests("operator", OTHER);
  const byPath = [...Map.groupBy(endpoints, (endpoint) => endpoint.path)];
  const routes = byPath.flatMap(([path, ofPath]): Route[] => {
    const allow = ofPath
      .flatMap(({ verb }) => (verb === "GET" ? ["GET", "HEAD"] : verb))
      .join(", ");
    const refuse = noted(noteOther, monotonic, (incoming: Incoming) =>
      answerEndpoint(null, incoming, context, allow),
    );
    const toSlash = noted(noteOther, monotonic, ({ request }: Incoming) =>
      redirectToSlash(request, context),
    );
    return [
      ...ofPath.map((endpoint): Route => {
        const note = context.noteRequests("operator", endpoint.operationId);
        const answer = noted(note, monotonic, (incoming: Incoming) =>
          answerEndpoint(endpoint, incoming, context),
        );
        // The key is checked first.
        return { verb: endpoint.verb, path, takes: endpoint.takes, refusesBody: true, answer };
      }),
      { verb: "ALL", path, answer: refuse },
      { verb: "GET", path: path.slice(0, -1), answer: toSlash },
    ];
  });
  return limitedByKey(routes);
}

/** @param endpoint null if the path does not take the request's verb, but those of `allow` */
async function answerEndpoint(
  endpoint: Endpoint | null,
  incoming: Incoming,
  context: OperatorContext,
  allow?: string,
): Promise<Response> {
  const { request } = incoming;
  const headers = commonHeaders(request, context);
  try {
    const key = await requireKey(request, context);
    if (endpoint === null) {
      if (allow !== undefined) headers["allow"] = allow;
      throw wrongVerb(request);
    }
    requireAbility(key, endpoint);
    const { status, body } = await answerOnce(endpoint, incoming, key, context);
    if (body instanceof FileAnswer) {
      context.giveTime(request, EXPORT_SILENCE_MAX_S);
      return fileResponse(request, body, headers);
    }
    return status === 204 ? new Response(null, { status, headers }) : json(status, body, headers);
  } catch (error) {
    return errorAnswer(error, headers, context.ports);
  }
}

/** @throws AppError `not_authenticated`, `authentication_failed`; `throttled` after many wrong keys */
async function requireKey(request: Request, context: OperatorContext): Promise<OperatorKey> {
  const nowMs = context.ports.clock.now();
  const verify = () => context.operatorKeys.verify(request.headers.get("authorization"), nowMs);
  let found = await verify();
  // Another node may just have created it.
  if (!found.ok && found.code === "authentication_failed" && (await context.copyNewest())) {
    found = await verify();
  }
  if (found.ok) return found.key;
  if (found.code === "authentication_failed") {
    const retryAfterS = context.takeWrongKey(request, nowMs);
    if (retryAfterS !== null) {
      throw new AppError("throttled", message("operatorKeyThrottled"), { retryAfterS });
    }
  }
  throw new AppError(found.code, found.reason);
}

/** Changing an area includes reading it. @throws AppError `permission_denied` */
function requireAbility({ can }: OperatorKey, { resource: { area }, does }: Endpoint): void {
  const enough: Ability[] = does.isRead ? ["read", area] : [area];
  if (enough.some((ability) => can.includes(ability))) return;
  const ability = enough[0] ?? area;
  throw new AppError("permission_denied", message("operatorKeyMayNot", { ability }));
}

interface Answered {
  status: number;
  body: string | FileAnswer;
}

interface Sent {
  body: unknown;
  file: ReceivedFile | null;
}

/** Receives the request and answers it; a file that nobody took over is removed. */
async function answerOnce(
  endpoint: Endpoint,
  incoming: Incoming,
  key: OperatorKey,
  context: OperatorContext,
): Promise<Answered> {
  const sent = await receive(endpoint, incoming, context);
  try {
    return await runOnce(endpoint, incoming, sent, key, context);
  } finally {
    if (sent.file !== null) context.files.remove(sent.file.path);
  }
}

async function receive(
  { takes }: Endpoint,
  incoming: Incoming,
  context: OperatorContext,
): Promise<Sent> {
  const refusal = takes === undefined ? incoming.body.refusal() : null;
  if (refusal !== null) throw refusal;
  if (takes === undefined) return { body: {}, file: null };
  if (takes.as === "bytes") {
    context.giveTime(incoming.request, UPLOAD_MAX_S);
    const file = await receiveFile(incoming.body, context.files.newPath());
    return { body: {}, file };
  }
  return { body: await readJsonBody(incoming, context.bodies, takes.membersMax), file: null };
}

/** Runs the verb; a request that was sent before with the same `Idempotency-Key` gets its first answer. */
async function runOnce(
  endpoint: Endpoint,
  incoming: Incoming,
  sent: Sent,
  key: OperatorKey,
  context: OperatorContext,
): Promise<Answered> {
  const { request } = incoming;
  const given = endpoint.verb === "POST" ? request.headers.get(IDEMPOTENCY_KEY) : null;
  const by = operatorActor(key);
  if (given === null) return run(endpoint, incoming, sent, by, context);
  if (given.length < 1 || given.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    const characters = IDEMPOTENCY_KEY_LENGTH_MAX;
    throw new AppError("parse_error", message("idempotencyKeyTooLong", { characters }));
  }
  const { idempotent } = context;
  const name = idempotent.name(key.id, given);
  const contents = sent.file?.sha256 ?? JSON.stringify(sent.body);
  const begun = await idempotent.begin(name, `${request.url} ${contents}`);
  if ("status" in begun) return begun;
  let answered: Answered;
  try {
    answered = await run(endpoint, incoming, sent, { ...by, request: begun }, context);
  } catch (error) {
    await idempotent.drop(begun);
    throw error;
  }
  await idempotent.keep(begun, answered.status, String(answered.body));
  return answered;
}

async function run(
  endpoint: Endpoint,
  { request, params }: Incoming,
  { body, file }: Sent,
  by: Actor,
  context: OperatorContext,
): Promise<Answered> {
  const address = context.baseAddress(request);
  const raw = readQuery(request.url);
  for (const name in params) raw[name] = params[name] ?? UNDECODABLE;
  const answer = await runEndpoint(
    endpoint,
    {
      raw,
      body,
      cursors: context.cursors,
      pageUrl: (query) => `${address}${pathOf(request)}?${query}`,
    },
    {
      services: context.operator,
      by,
      file,
      nowMs: context.ports.clock.now(),
      note() {},
      linkTo: (token) => context.passwordAddress(address, token),
    },
  );
  const { status } = endpoint;
  return { status, body: answer instanceof FileAnswer ? answer : jsonTextOf(answer) };
}
