import type { EventKind } from "../../../push/webhooks/events/event-body.ts";
import recorded from "./examples.json" with { type: "json" };

/** A call of a method as it went over the sample data. */
export interface ExampleCall {
  /** Values by the parameter's name. */
  arguments: Record<string, unknown>;
  status: number;
  /** The JSON body; left out where there was none. */
  answer?: unknown;
}

/** An event as a receiver got it. */
export interface ExampleEvent {
  /** Headers by their names in lower case. */
  headers: Record<string, string>;
  body: unknown;
}

export interface Examples {
  /** Calls by operation id. */
  calls: Record<string, ExampleCall>;
  events: Record<EventKind, ExampleEvent>;
}

/** Examples that `bun run examples` recorded; none is written by hand. */
export const examples: Examples = recorded;
