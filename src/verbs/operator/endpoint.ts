import { takesJson } from "../../values/takes.ts";
import type { Described, Verb as HttpVerb } from "../method.ts";
import { pageOf, pageParameters } from "../paging.ts";
import { fieldsOf, type Parameter, type Parameters } from "../parameters.ts";
import type { Resource, Verb } from "./resource.ts";

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
