import { load } from "../client/load.ts";
import { startKanalog } from "../contenders/kanalog.ts";
import { targetOf } from "../contenders/paths.ts";
import { residentBytes } from "../processes.ts";
import { type Part, workNamed } from "../run.ts";

const RESIDENT_MOST_MB = { atRest: 101, afterMix: 352 };
const CONNECTIONS = 16;
const REST_MS = 2_000;
const MEGABYTE = 1_000_000;

/** Resident memory at rest, and after the mix over 16 connections. */
export const memory: Part = async ({ database, works, options }) => {
  const kanalog = await startKanalog(database);
  try {
    const resident = async (): Promise<number> =>
      ((await residentBytes(kanalog.server.pid)) ?? 0) / MEGABYTE;
    await Bun.sleep(REST_MS);
    const atRest = await resident();
    const target = await targetOf(kanalog, workNamed(works, "mix"));
    if (target === null) throw new Error("Kanalog lacks a part of the mix");
    const seconds = options.isQuick ? 3 : 30;
    const { perSecond } = await load(target, { connections: CONNECTIONS, seconds });
    return [
      {
        part: "memory",
        name: "resident at rest",
        value: atRest,
        unit: "MB",
        most: RESIDENT_MOST_MB.atRest,
      },
      {
        part: "memory",
        name: "resident after the mix",
        value: await resident(),
        unit: "MB",
        most: RESIDENT_MOST_MB.afterMix,
        note: `${Math.round(perSecond * seconds)} answers`,
      },
    ];
  } finally {
    await kanalog.server.stop();
  }
};
