import { parseArgs } from "node:util";
import type { Durations } from "./measure.ts";
import type { Row, Size } from "./row.ts";
import { ROWS } from "./rows.ts";

export interface Options {
  rows: readonly Row[];
  /** How many channels each database has. */
  channels: Record<Size, number>;
  durations: Durations;
}

/** Rows that show most in the shortest time, for `--small`. */
const SMALL = [
  "form-token",
  "body-fields",
  "body-arguments",
  "patch-other",
  "msgr_channels_list",
  "get-docs",
  "post-account",
  "guess-sign-in",
];

const TIMEOUT_MS = 10_000;

export const HELP = `bun run bench:neighbours [options]

What a customer notices of each kind of neighbour, one row each: the customer's answers alone and beside the
neighbour, in turn. Exits with 1 if p99 beside the neighbour is more than 3 times the quiet p99 plus 20 ms, or if
an answer is a 503, late or wrong. The wait for a processor is that of the appliance's main thread, quiet and beside,
in the worst of a hundred tenths of a second: where it is as high as p99, the machine was starved. What held the
write lock for more than 20 ms is listed with its row.

  --only ROWS   some of ${ROWS.map(({ name }) => name).join(", ")}
  --rounds N    how often to measure alone and beside (3)
  --small       a few rows over a small database, once, in a minute or two
`;

export class WrongUsage extends Error {
  override readonly name = "Wrong usage";
}

/** @throws WrongUsage for a wrong option, saying what would be valid */
export function readOptions(words: readonly string[]): Options | "help" {
  const { values } = parse(words);
  if (values.help) return "help";
  const names = values.only?.split(",") ?? (values.small ? SMALL : ROWS.map(({ name }) => name));
  const unknown = names.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown !== undefined) throw new WrongUsage(`--only: there is no row ${unknown}.\n${HELP}`);
  const rounds = Number(values.rounds ?? (values.small ? 1 : 3));
  if (!Number.isInteger(rounds) || rounds < 1) throw new WrongUsage("--rounds: give 1 or more.");
  return {
    rows: ROWS.filter(({ name }) => names.includes(name)),
    channels: values.small ? { usual: 3_000, large: 10_000 } : { usual: 30_000, large: 300_000 },
    durations: values.small
      ? { rounds, quietS: 2, besideS: 4, timeoutMs: TIMEOUT_MS }
      : { rounds, quietS: 3, besideS: 8, timeoutMs: TIMEOUT_MS },
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        only: { type: "string" },
        rounds: { type: "string" },
        small: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new WrongUsage(`${error instanceof Error ? error.message : error}\n${HELP}`);
  }
}
