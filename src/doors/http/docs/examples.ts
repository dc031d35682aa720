import type { EventKind } from "../../../push/webhooks/events/event-body.ts";
import recorded from "./examples.json" with { type: "json" };

/** A call of a method as it went over the sample data. */
export interface ExampleCall {
  /** What was given, by the parameter's name. */
  arguments: Record<string, unknown>;
  status: number;
  /** The JSON body; left out where there was none. */
  answer?: unknown;
}

/** An event as a receiver got it. */
export interface ExampleEvent {
  /** By the name in lower case. */
  headers: Record<string, string>;
  body: unknown;
}

export interface Examples {
  /** By operation. */
  calls: Record<string, ExampleCall>;
  events: Record<EventKind, ExampleEvent>;
}

/** What `bun run examples` recorded; nothing of it is written by hand. */
export const examples: Examples = recorded;
