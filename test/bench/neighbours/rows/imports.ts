import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatDay } from "../../../../src/values/moscow-time.ts";
import { END_DAY } from "../../peers/data/channels.ts";
import { seededRandom } from "../../peers/data/random.ts";
import { title } from "../../peers/data/titles.ts";
import { ROOT } from "../../peers/processes.ts";
import type { Row, Stage } from "../row.ts";
import { writeFreshPosts } from "./cutting.ts";
import { runCommands } from "./run-commands.ts";

/** Rows of channels, days and posts that take a round or longer to import. */
const ROWS = 100_000;
const DAYS = 300_000;
const POSTS = 50_000;
const NEW_IDS_FROM = 20_000_000;

/** Imports a file that is written again before each round. */
function importing(
  kind: "channels" | "stats" | "posts",
  what: string,
  write: (stage: Stage, round: number) => string,
): Row {
  let file = "";
  return {
    ...{ name: `import-${kind}`, does: `imports ${what}` },
    async beforeRound(stage, round) {
      file = write(stage, round);
    },
    beside: (stage, seconds) =>
      runCommands(stage, seconds, (number) => (number === 0 ? ["import", kind, file] : null)),
  };
}

/** Imports a directory repeatedly, because it has few rows, each time with other names. */
function importingDirectory(kind: "categories" | "territories"): Row {
  const FILES = ["former.csv", "other.csv"];
  return {
    ...{ name: `import-${kind}`, does: `imports all ${kind} with other names, repeatedly` },
    async prepare({ machine }) {
      const text = readFileSync(join(ROOT, `data/directories/${kind}.csv`), "utf8");
      const [header = "", ...lines] = text.trim().split("\n");
      const renamed = lines.map((line) => {
        const [id, slug, name, ...rest] = line.split(",");
        return [id, slug, `${name} +`, ...rest].join(",");
      });
      machine.write("former.csv", text);
      machine.write("other.csv", `${[header, ...renamed].join("\n")}\n`);
    },
    beside: (stage, seconds) =>
      runCommands(stage, seconds, (number) => ["import", kind, FILES[(number + 1) % 2] ?? ""]),
  };
}

function writeChannels({ machine }: Stage, round: number): string {
  const random = seededRandom(50, round);
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const id = NEW_IDS_FROM + round * ROWS + at;
    return `${JSON.stringify({ id, title: title(random), subscribers: at, category: "news" })}\n`;
  });
  machine.write("channels.ndjson", rows.join(""));
  return "channels.ndjson";
}

function writeStats({ machine, data }: Stage, round: number): string {
  const rows = Array.from({ length: DAYS }, (_, at) => {
    const day = END_DAY - 400 + round * 20 + Math.floor(at / data.channels.length);
    return `${data.channels[at % data.channels.length]},${formatDay(day)},${at},${at % 977},3\n`;
  });
  machine.write("days.csv", `channel,day,subscribers,views,posts\n${rows.join("")}`);
  return "days.csv";
}

export const importRows: Row[] = [
  importing("channels", "100,000 new channels", writeChannels),
  importing("stats", "300,000 days of statistics", writeStats),
  importing("posts", "50,000 new posts that no webhook watches", (stage, round) =>
    writeFreshPosts(stage.machine, stage.data.channels, { first: round * POSTS, count: POSTS }),
  ),
  importingDirectory("categories"),
  importingDirectory("territories"),
];
