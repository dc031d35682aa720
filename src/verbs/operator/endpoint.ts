import type { Page } from "../../values/json-text.ts";
import { shownPage } from "../../values/schema.ts";
import { takesJson } from "../../values/takes.ts";
import { type Described, FileAnswer, type Verb as HttpVerb } from "../method.ts";
import { type Cursors, pageOf, pageParameters } from "../paging.ts";
import { fieldsOf, onlyFields, type Parameter, type Parameters } from "../parameters.ts";
import type { RawArguments } from "../read-arguments.ts";
import { continueList, filtersOf, positionAfter, readArguments } from "../read-arguments.ts";
import { informed, positionOf, type Resource, type Row, type Use, type Verb } from "./resource.ts";

/** A verb as the operator's API has it: its route, and its operation in the OpenAPI document. */
export interface Endpoint extends Described {
  resource: Resource;
  does: Verb;
}

/** Where each of the usual verbs stands; others are below the object or the resource, by their name. */
const USUAL: Record<string, HttpVerb> = {
  download: "GET",
  list: "GET",
  show: "GET",
  create: "POST",
  add: "POST",
  make: "POST",
  push: "POST",
  start: "POST",
  set: "PATCH",
  delete: "DELETE",
  remove: "DELETE",
};

/** Statuses of the usual verbs, if not 200. */
const STATUSES: Record<string, Endpoint["status"]> = {
  create: 201,
  add: 201,
  "add-bot": 201,
  make: 202,
  start: 202,
  delete: 204,
  remove: 204,
};

export function endpointOf(resource: Resource, does: Verb): Endpoint {
  const usual = USUAL[does.name];
  const verb = usual ?? (does.isRead ? "GET" : "POST");
  const isJson = verb !== "GET" && verb !== "DELETE" && does.takes?.as !== "bytes";
  const place = isJson ? "body" : "query";
  const takes = isJson ? (does.takes ?? takesJson()) : does.takes;
  const given = Object.entries<Parameter<unknown>>(does.args).map(
    ([name, parameter]): [string, Parameter<unknown>] => [name, { ...parameter, in: place }],
  );
  const of: Parameters = does.on === "one" ? { id: resource.id } : {};
  const row = does.result ?? resource.schema;
  const folder = [
    ...["/operator/v1", resource.path],
    ...(does.on === "one" ? [":id"] : []),
    ...(usual === undefined ? [does.name] : []),
  ].join("/") as `/${string}`;
  const title = does.title.charAt(0).toUpperCase() + does.title.slice(1);
  return {
    resource,
    does,
    verb,
    title,
    operationId: `${resource.path}_${does.name}`.replaceAll("-", "_"),
    path: `${folder}/`,
    tag: resource.title,
    description: `${title}.`,
    parameters: {
      ...of,
      ...Object.fromEntries(given),
      ...(does.rows !== undefined && pageParameters),
      ...(does.isRead &&
        does.fileTypes === undefined &&
        fieldsOf(row as unknown as { properties: object })),
    },
    ...(takes !== undefined && { takes }),
    ...(does.fileTypes !== undefined && { fileTypes: does.fileTypes }),
    status: STATUSES[does.name] ?? 200,
    result: does.rows === undefined ? row : pageOf(row),
    errors: [
      ...(does.on === "one" ? (["not_found"] as const) : []),
      ...(does.isRead ? [] : (["conflict"] as const)),
      ...(verb === "POST" ? (["in_progress", "answer_lost"] as const) : []),
    ],
  };
}

interface Sent {
  raw: RawArguments;
  body: unknown;
  cursors: Cursors;
  pageUrl(query: URLSearchParams): string;
}

/**
 * Runs a verb for a request of the operator's API.
 * @returns the row, a page of rows, or a file
 * @throws AppError those of arguments, cursors and the verb
 */
export async function runEndpoint(
  endpoint: Endpoint,
  { raw, body, cursors, pageUrl }: Sent,
  use: Omit<Use, "id" | "part">,
): Promise<unknown> {
  const list = continueList(endpoint, raw, cursors);
  // A cursor carries required arguments, so if it is unreadable, only the cursor is reported.
  const parameters = await informed(endpoint.parameters, use.services);
  const args = readArguments({ parameters }, list.raw, body, { mayMiss: list.fault !== null });
  if (list.fault !== null) throw list.fault;
  const { does, operationId } = endpoint;
  const id = args["id"] as number;
  const fields = args["fields"] as string[] | undefined;
  const narrowed = (answer: unknown) =>
    fields === undefined || answer instanceof FileAnswer ? answer : onlyFields(answer, fields);
  if (does.rows === undefined) {
    return narrowed(await does.run(args, { ...use, id, part: { after: null, limit: 0 } }));
  }
  const fixed: Record<string, string> = does.on === "one" ? { of: String(id) } : {};
  const after = positionAfter(list, fixed);
  const limit = args["limit"] as number;
  // One more than the page holds, to see whether another page follows.
  const rows = (await does.run(args, { ...use, id, part: { after, limit: limit + 1 } })) as Row[];
  const { shown: results, last } = shownPage(rows, limit);
  const of = { ...filtersOf(endpoint, list.raw), ...fixed };
  const next =
    last === null
      ? null
      : pageUrl(
          new URLSearchParams({
            ...filtersOf(endpoint, list.raw),
            cursor: cursors.write(operationId, { at: positionOf(last, does.rows), of }),
          }),
        );
  return narrowed({ results, next } satisfies Page<Row>);
}
