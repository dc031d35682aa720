import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { formatDay } from "../../../../src/values/moscow-time.ts";
import { elapsed } from "../../../support/webhook-journey.ts";
import { END_DAY } from "../../peers/data/channels.ts";
import type { Row, Stage } from "../row.ts";

const ROWS = 1_000_000;
const AT_ONCE = 50_000;
/** Age of the file, because a recently written one is not read yet. */
const AGE_MS = 60_000;

/** Writes days of each channel, from the last one backwards, with different values in each round. */
function writeDays({ machine, data: { channels } }: Stage, round: number): void {
  const path = machine.path("inbox/days.csv");
  writeFileSync(path, "channel,day,subscribers,views,posts\n");
  for (let from = 0; from < ROWS; from += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, place) => {
      const at = from + place;
      const day = formatDay(END_DAY - 1 - Math.floor(at / channels.length));
      return `${channels[at % channels.length]},${day},${at + round},${(at + round) % 977},3\n`;
    });
    writeFileSync(path, rows.join(""), { flag: "a" });
  }
  const at = new Date(Date.now() - AGE_MS + round);
  utimesSync(path, at, at);
}

const rowsRead = ({ machine }: Stage): number =>
  machine.query<{ rows: number }>(
    "SELECT coalesce(json_extract(summary, '$.read'), 0) AS rows FROM sources",
  )[0]?.rows ?? 0;

/** The serving process reads a folder's file automatically, which is written again before each round. */
export const sourceRows: Row[] = [
  {
    ...{ name: "source", does: "is a source with a file of 1,000,000 days" },
    async prepare({ machine }) {
      mkdirSync(machine.path("inbox"));
      await machine.json([
        ...["source", "add", "pull", "--kind", "stats", "--folder", "inbox", "--every", "31d"],
      ]);
    },
    async beforeRound(stage, round) {
      writeDays(stage, round);
    },
    async beside(stage, seconds) {
      const db = stage.machine.open();
      db.exec("UPDATE sources SET is_asked = 1");
      db.close();
      await elapsed(seconds * 1000);
      const state = stage.machine.query<{ owner: string | null; failures: number }>(
        "SELECT owner, failures FROM sources",
      )[0];
      const isUnderWay = state?.owner !== null;
      return {
        notes: [isUnderWay ? "still running at the end" : `completed, ${rowsRead(stage)} rows`],
        broken: state?.failures === 0 ? [] : ["the source failed"],
      };
    },
  },
];
