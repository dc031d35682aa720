import { startKanalog } from "../contenders/kanalog.ts";
import type { Part } from "../run.ts";
import { median } from "../statistics.ts";

const READY_MOST_S = 0.5;
const TIMES = 7;

/** Time from the start of the process to the first 200 of `/readyz`, on the full database. */
export const start: Part = async ({ database }) => {
  const seconds: number[] = [];
  for (let time = 0; time < TIMES; time++) {
    const { server } = await startKanalog(database);
    seconds.push(server.readyMs / 1000);
    await server.stop();
  }
  return [
    {
      part: "start",
      name: "ready after",
      value: median(seconds),
      unit: "s",
      most: READY_MOST_S,
      note: seconds.map((value) => value.toFixed(2)).join(", "),
    },
  ];
};
