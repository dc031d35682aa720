import { basename } from "node:path";
import type { BackupFile } from "../../upkeep/backups/backup-files.ts";
import { field } from "../../values/rows.ts";
import { countSchema, textSchema } from "../../values/schema.ts";
import { inPath, text } from "../parameters.ts";
import { instant, namedInPart, type Resource, rowsOf, verb } from "./resource.ts";

const backupRows = rowsOf<BackupFile>("Backup", {
  name: field(
    textSchema({ description: "Name of the file in the folder of backups" }),
    ({ path }) => basename(path),
  ),
  bytes: field(countSchema("Its size"), ({ bytes }) => bytes),
  made_at: instant("When it was completed", ({ madeAt }) => madeAt),
});

/** Daily backups, which the job `backup` makes; `kanalog backup` writes one to any file. */
export const backups: Resource = {
  name: "backup",
  command: "backup",
  path: "backups",
  area: "system",
  title: "daily backups, which stay on the appliance's machine; the job `backup` makes one",
  schema: backupRows.schema,
  id: inPath(text({ description: "Its name." })),
  hint: "its name",
  find: async (name) => name,
  verbs: [
    verb({
      name: "list",
      on: "none",
      isRead: true,
      rows: "name",
      args: {},
      isForPrograms: true,
      title: "list the daily backups, newest first",
      run: async (_args, { services, part }) =>
        namedInPart((await services.dailyBackups()).map(backupRows.row), "name", part),
    }),
  ],
};
