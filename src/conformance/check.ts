import { isDeepStrictEqual } from "node:util";
import clauses from "./clauses.json";
import type { Answer, Asked } from "./client.ts";

export type ClauseId = keyof typeof clauses;

/**
 * The parts of the specification, in its order: every table and numbered sentence of its first document
 * (`spec`), and the sections of the pages that settle what it leaves open. `elsewhere` says why no request
 * can tell, for parts without checks.
 */
export const CLAUSES: Readonly<Record<ClauseId, { says: string; elsewhere?: string }>> = clauses;

export type Json = Readonly<Record<string, unknown>>;

/** A fault in a sentence; null if there is none. */
export type Fault = string | null;

export interface Received {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

/** Receives what an appliance sends to an https address. */
export interface Receiver {
  url: string;
  requests: Received[];
  /** How requests are answered from now on. */
  status: number;
}

/** The appliance, its keys and its data, as a check sees them. */
export interface Kit {
  readonly base: string;
  readonly key: string;
  readonly operatorKey: string | null;
  /** Whether the run may change something. */
  readonly mayWrite: boolean;
  /** Where deliveries of webhooks arrive; null if the run has none. */
  readonly receiver: Receiver | null;
  /** Epoch milliseconds. */
  now(): number;
  sleep(durationMs: number): Promise<void>;
  /** Asks once in a run: whoever asks the same later gets the first answer. A string is a GET with the key. */
  ask(asked: Asked | string): Promise<Answer>;
  /** Asks, even if the same was asked before. */
  askAgain(asked: Asked | string): Promise<Answer>;
  /** The thing of this name, made now unless the run made it before. */
  once<T>(name: string, make: () => Promise<T>): Promise<T>;
  /** Requests at the end of the run that remove what checks made. */
  afterwards: Asked[];
}

/** One line of the report: what one sentence of the specification requires of one answer. */
export interface Check {
  readonly clause: ClauseId;
  readonly title: string;
  run(kit: Kit): Promise<Fault>;
}

export const check = (clause: ClauseId, title: string, run: Check["run"]): Check => ({
  clause,
  title,
  run,
});

/** Thrown where the appliance, as the key sees it, lacks what a check would look at; the check is skipped. */
export class Missing extends Error {}

export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};

export const differs = (what: string, actual: unknown, expected: unknown): Fault =>
  isDeepStrictEqual(actual, expected)
    ? null
    : `${what} is ${shown(actual)}, not ${shown(expected)}`;

/** The first fault of several items. */
export function each<T>(items: Iterable<T>, faultOf: (item: T) => Fault): Fault {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== null) return fault;
  }
  return null;
}

export const unless = (holds: boolean, fault: string): Fault => (holds ? null : fault);

export const statusOf = (answer: Answer, expected: number): Fault =>
  answer.status === expected
    ? null
    : `${answer.asked} answers ${answer.status}, not ${expected}: ${answer.text.slice(0, 160)}`;

/** An error with this status and code, and a sentence. */
export const refusal = (answer: Answer, status: number, code: string): Fault =>
  statusOf(answer, status) ??
  differs("code", answer.body["code"], code) ??
  unless(typeof answer.body["detail"] === "string" && answer.body["detail"] !== "", "no detail");

/** A 400 with messages under the field, the first of which begins with this. */
export function fieldError(answer: Answer, field: string, message = ""): Fault {
  const wrong = statusOf(answer, 400);
  if (wrong !== null) return wrong;
  const messages = answer.body[field];
  if (!Array.isArray(messages) || typeof messages[0] !== "string") {
    return `${answer.asked}: no list of messages under ${field}: ${answer.text.slice(0, 160)}`;
  }
  return unless(
    messages[0].startsWith(message),
    `${answer.asked}: the message is ${shown(messages[0])}, not ${shown(message)}`,
  );
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The objects of a list; empty for anything else. */
export const objectsIn = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
