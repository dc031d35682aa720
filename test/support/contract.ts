import { type ApiMethod, pathFor } from "../../src/verbs/method.ts";
import { apiMethods, toolMethods } from "../../src/verbs/methods/table.ts";
import recorded from "../contract/contract.json" with { type: "json" };

/** A method as `bun run contract` recorded it; whoever changes the API reads the difference. */
export interface ContractMethod {
  operation: string;
  verb: string;
  path: string;
  units: number;
  status: number;
  /** Whose keys may call it: anybody's, or only read-write keys, or only those of owners and administrators. */
  keys: "everyone" | "writers" | "managers";
  /** Plans that include it. */
  plans: readonly string[];
  /** The same for an organization that has webhooks and alerts from before, if they are others. */
  plansWithWebhooks?: readonly string[];
  required: string[];
  optional: string[];
  /** Members of the answer; of a list, those of the page. */
  answer: readonly string[];
  /** What `fields` may name: members of the card, or of a list's items. */
  fields?: readonly string[];
}

/** An operation of the operator's API. */
export interface ContractEndpoint {
  operation: string;
  verb: string;
  path: string;
  status: number;
  /** Whose keys may call it, besides those that may read, if it changes nothing. */
  area: string;
  required: string[];
  optional: string[];
  /** Members of the answer; of a list, those of its rows. */
  row: string[];
}

/** The API's surface: its methods, its tools in their order, and the paths that need no key. */
export interface Contract {
  methods: readonly ContractMethod[];
  tools: string[];
  operator: readonly ContractEndpoint[];
  /** The status that each answers with. */
  withoutKey: Readonly<Record<string, number>>;
}

export const contract: Contract = recorded as Contract;

/**
 * Values for calls, by the name of the parameter; `id` by the part of the path before it. Arguments that
 * only one method gets stand under its operation id.
 */
export type CallValues = Readonly<Record<string, unknown>> & { id?: Record<string, unknown> };

/** What a call of every method needs in a small world: a channel 1 with a handle, and a post 1. */
export const VALUES = {
  channel: "1",
  channels: "1",
  q: "@one",
  id: { posts: 1 },
  name: "New",
  query: "kind=channel",
  url: "https://hooks.example.com/new",
  msgr_webhooks_create: { channels: [1] },
  msgr_webhooks_partial_update: { channels: [1, 2] },
  msgr_alerts_partial_update: { name: "Changed" },
} satisfies CallValues;

/** Arguments for a method: all required ones, and those given for it alone. */
export function argumentsOf(
  { operationId, path, parameters }: ApiMethod,
  values: CallValues,
): Record<string, unknown> {
  const [, resource = ""] = /([^/]+)\/:id\//.exec(path) ?? [];
  const names = Object.keys(parameters).filter((name) => parameters[name]?.required);
  const required = names.map((name) => {
    const value = name === "id" ? values.id?.[resource] : values[name];
    if (value === undefined) throw new Error(`${operationId}: no value for ${name} of the call`);
    return [name, value];
  });
  return { ...Object.fromEntries(required), ...(values[operationId] as object | undefined) };
}

/** A request that calls a method with these values. */
export function requestOf(
  method: ApiMethod,
  values: CallValues,
): { path: string; init: RequestInit } {
  const given = argumentsOf(method, values);
  const isIn = (place: string) =>
    Object.entries(given).filter(([name]) => method.parameters[name]?.in === place);
  const query = new URLSearchParams();
  for (const [name, value] of isIn("query")) query.set(name, String(value));
  const body = isIn("body");
  return {
    path: pathFor(method, given) + (query.size > 0 ? `?${query}` : ""),
    init: {
      method: method.verb,
      ...(body.length > 0 && {
        body: JSON.stringify(Object.fromEntries(body)),
        headers: { "content-type": "application/json" },
      }),
    },
  };
}

/** Calls of every tool with these values, in the tools' order. */
export const toolCalls = (values: CallValues): [tool: string, args: Record<string, unknown>][] =>
  toolMethods.map((method) => [method.operationId, argumentsOf(method, values)]);

/** The declaration of a recorded method. */
export const methodNamed = (operation: string): ApiMethod =>
  apiMethods.find(({ operationId }) => operationId === operation) as ApiMethod;
