import type { Machine, Serving } from "../../support/machine.ts";
import type { Child } from "./child.ts";
import type { Data } from "./data.ts";
import type { LoadSpec, Outcomes } from "./load.ts";
import type { VictimSpec } from "./victim.ts";

/** Which database a row needs. */
export type Size = "usual" | "large";

/** A row of the table: what a neighbour does while a victim behaves as usual. */
export interface Row {
  /** Name for `--only`. */
  name: string;
  /** Follows "a neighbour …" in the table. */
  does: string;
  size?: Size;
  /** Further settings of the appliance. */
  environment?: Record<string, string>;
  /**
   * 1 for rows that take long, or whose limits apply to the whole time. "until kept" for rows of which there are
   * many: one round, or as many as usual if it breaks the promise.
   */
  rounds?: number | "until kept";
  /** By default healthy customers at a steady rate. */
  victim?(stage: Stage): Promise<Omit<VictimSpec, "address" | "timeoutMs">>;
  /** Called once, before the first round. */
  prepare?(stage: Stage): Promise<void>;
  /** Called before each round, which does not measure it. */
  beforeRound?(stage: Stage, round: number): Promise<void>;
  /** Runs the neighbour for about this many seconds, or until it is finished. */
  beside(stage: Stage, seconds: number, round: number): Promise<Beside>;
}

/** Results of the neighbour itself, besides the victim's measurements. */
export interface Beside {
  notes: string[];
  /** The row's own limits that were exceeded. */
  broken: string[];
}

/** The appliance of a row, on a copy of the data. */
export interface Stage {
  data: Data;
  machine: Machine;
  serving: Serving;
  /** Host and port that webhooks send to: `127.0.0.1:<port>`. */
  receiver: string;
  /** Events received since the last call, by kind. */
  received(): Promise<Record<string, number>>;
  /** Sends a load from a separate process for some seconds. @returns its outcomes */
  load(spec: LoadWithoutAddress, seconds: number): Promise<Outcomes>;
  child<Result>(script: string, spec: object): Child<Result>;
}

/** `Omit` for each kind of load. */
type LoadWithoutAddress = LoadSpec extends infer Kind
  ? Kind extends LoadSpec
    ? Omit<Kind, "address">
    : never
  : never;

/** Answers to a load, for the table. */
export function answered(outcomes: Outcomes): Beside {
  const parts = Object.entries(outcomes).map(([outcome, times]) => `${outcome} x ${times}`);
  return { notes: [`its answers: ${parts.join(", ") || "none"}`], broken: [] };
}
