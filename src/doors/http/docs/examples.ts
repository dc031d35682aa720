import type { EventKind } from "../../../push/webhooks/events/cut-events.ts";
import recorded from "./examples.json" with { type: "json" };

/** A recorded call of a method on the sample data. */
export interface ExampleCall {
  /** Arguments by parameter name. */
  arguments: Record<string, unknown>;
  status: number;
  /** JSON body of the answer; absent if there was none. */
  answer?: unknown;
}

/** A recorded event, as its receiver got it. */
export interface ExampleEvent {
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  body: unknown;
}

export interface Examples {
  /** Calls by operation id. */
  calls: Record<string, ExampleCall>;
  events: Record<EventKind, ExampleEvent>;
}

/** Recorded by `bun run examples`; none is written by hand. */
export const examples: Examples = recorded;
