import type { Machine, Serving } from "../../support/machine.ts";
import type { Child } from "./child.ts";
import type { Data } from "./data.ts";
import type { LoadSpec, Outcomes } from "./load.ts";
import type { VictimSpec } from "./victim.ts";

/** Which database a row needs. */
export type Size = "usual" | "large";

/** A line of the table: what a neighbour does while a victim goes on as always. */
export interface Row {
  /** By which `--only` knows it. */
  name: string;
  /** Follows "a neighbour …" in the table. */
  does: string;
  size?: Size;
  /** Settings of the appliance beside the usual ones. */
  environment?: Record<string, string>;
  /** One where each takes long, or where what counts is counted over all of it. */
  rounds?: number;
  /** The customers at their steady rate, where not given. */
  victim?(stage: Stage): Promise<Omit<VictimSpec, "address" | "timeoutMs">>;
  /** Once, before the first round. */
  prepare?(stage: Stage): Promise<void>;
  /** Before each round, unmeasured. */
  beforeRound?(stage: Stage, round: number): Promise<void>;
  /** Runs the neighbour for about so many seconds, or until it is done. */
  beside(stage: Stage, seconds: number, round: number): Promise<Beside>;
}

/** Outcome of the neighbour's doing, beside what the victim saw. */
export interface Beside {
  notes: string[];
  /** Bounds of the row's own that did not hold. */
  broken: string[];
}

/** An appliance of its own for each row, over a copy of the data. */
export interface Stage {
  data: Data;
  machine: Machine;
  serving: Serving;
  /** Where webhooks are to send to: `127.0.0.1:<port>`. */
  receiver: string;
  /** Events that the receiver got since this was asked last, by kind. */
  received(): Promise<Record<string, number>>;
  /** Has a process of its own send this for so long. @returns what it was answered */
  load(spec: LoadWithoutAddress, seconds: number): Promise<Outcomes>;
  child<Result>(script: string, spec: object): Child<Result>;
}

/** Distributes over the kinds of load. */
type LoadWithoutAddress = LoadSpec extends infer Kind
  ? Kind extends LoadSpec
    ? Omit<Kind, "address">
    : never
  : never;

/** Answers to a load, for the table. */
export function answered(outcomes: Outcomes): Beside {
  const parts = Object.entries(outcomes).map(([outcome, times]) => `${outcome} x ${times}`);
  return { notes: [`it was answered ${parts.join(", ") || "nothing"}`], broken: [] };
}
