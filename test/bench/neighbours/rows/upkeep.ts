import { rmSync } from "node:fs";
import type { Row } from "../row.ts";
import { jobs, trends } from "./jobs.ts";
import { runCommands } from "./run-commands.ts";

export const upkeepRows: Row[] = [
  {
    name: "backup",
    does: "writes backups one after another, as the operator",
    beside: (stage, seconds) =>
      runCommands(stage, seconds, (number) => {
        rmSync(stage.machine.path(`backup-${number - 1}.db`), { force: true });
        return ["backup", `backup-${number}.db`];
      }),
  },
  jobs,
  trends,
];
