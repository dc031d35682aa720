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
  /** Folder of the data, which is generated if it is missing. */
  dataRoot: string;
  channels: number;
  parts: readonly PartName[];
  /** Only works whose names contain it. */
  work: string;
  rounds: number;
  /** Duration of one contender's measurement for one work in one round. */
  seconds: number;
  isQuick: boolean;
  jsonPath: string;
}

export const HELP = `bun run bench -- [options]

  --channels N    number of channels; 20 times as many days, 5 times as many posts (1000000)
  --data DIR      folder of the data, generated if missing; some 17 GB for a million (data/bench)
  --only PARTS    some of ${PARTS.join(", ")}; by default all
  --work TEXT     compare, growth: only works whose names contain it
  --rounds N      number of rounds, of which the median counts (5; 1 with --quick)
  --quick         a short run to see that everything works; its figures say little
  --json FILE     file for the figures (DIR/<channels>/figures.json)
`;

export class WrongUsage extends Error {
  override readonly name = "Wrong usage";
}

/** @throws WrongUsage for a wrong option, saying what would be valid */
export function readOptions(words: readonly string[]): Options | "help" {
  const { values } = parse(words);
  if (values.help) return "help";
  const channels = Number(values.channels);
  if (!Number.isInteger(channels) || channels < 10_000 || channels % 100 !== 0) {
    throw new WrongUsage("--channels: give a multiple of 100 from 10000 on.");
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
