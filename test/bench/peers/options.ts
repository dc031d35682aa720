import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./processes.ts";

export const PARTS = [
  "compare",
  "search",
  "growth",
  "beside-import",
  "imports",
  "refresh",
  "spread-posts",
  "start",
  "memory",
] as const;
export type PartName = (typeof PARTS)[number];

export interface Options {
  /** Where the data lies, and is made where it is missing. */
  dataRoot: string;
  channels: number;
  parts: readonly PartName[];
  /** Only works whose names contain it. */
  work: string;
  rounds: number;
  /** Of one contender at one work in one round. */
  seconds: number;
  isQuick: boolean;
  jsonPath: string;
}

export const HELP = `bun run bench -- [options]

  --channels N    how many channels; 20 times as many days, 5 times as many posts (1000000)
  --data DIR      where the data lies and is made, some 17 GB at a million (data/bench)
  --only PARTS    of ${PARTS.join(", ")}; all where not given
  --work TEXT     of compare and growth, only the works whose names contain it
  --rounds N      rounds of which the median counts (5; 1 with --quick)
  --quick         short, to see that all works; its figures say little
  --json FILE     where the figures go (DIR/<channels>/figures.json)
`;

export class WrongUsage extends Error {
  override readonly name = "Wrong usage";
}

/** @throws WrongUsage for a wrong option, saying what would be right */
export function readOptions(words: readonly string[]): Options | "help" {
  const { values } = parse(words);
  if (values.help) return "help";
  const channels = Number(values.channels);
  if (!Number.isInteger(channels) || channels < 10_000 || channels % 100 !== 0) {
    throw new WrongUsage("--channels: give 10000 or more, in hundreds.");
  }
  const parts = PARTS.filter((part) => values.only?.split(",").includes(part) ?? true);
  const unknown = values.only?.split(",").find((name) => !PARTS.some((part) => part === name));
  if (unknown !== undefined) throw new WrongUsage(`--only: there is no part ${unknown}.\n${HELP}`);
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1) throw new WrongUsage("--rounds: give 1 or more.");
  return {
    dataRoot: values.data,
    channels,
    parts,
    work: values.work,
    rounds,
    seconds: values.quick ? 1 : 2,
    isQuick: values.quick,
    jsonPath: values.json ?? join(values.data, String(channels), "figures.json"),
  };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        channels: { type: "string", default: "1000000" },
        data: { type: "string", default: join(ROOT, "data/bench") },
        only: { type: "string" },
        work: { type: "string", default: "" },
        rounds: { type: "string" },
        quick: { type: "boolean", default: false },
        json: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new WrongUsage(`${error instanceof Error ? error.message : error}\n${HELP}`);
  }
}
