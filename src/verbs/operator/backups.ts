import { basename } from "node:path";
import { AppError, notFound } from "../../errors.ts";
import type { BackupFile } from "../../upkeep/backups/backup-files.ts";
import { BACKUP_JOB } from "../../upkeep/jobs/jobs.ts";
import { message } from "../../values/messages/messages.ts";
import { field, instant, rows } from "../../values/rows.ts";
import { countSchema, textSchema } from "../../values/schema.ts";
import { inPath, text } from "../parameters.ts";
import { jobRows, startJob } from "./jobs.ts";
import { list, type OperatorServices, resource, show, verb } from "./resource.ts";

const backupRows = rows("Backup", {
  name: field(
    textSchema({ description: "Name of the file in the folder of backups" }),
    ({ path }: BackupFile) => basename(path),
  ),
  bytes: countSchema("Its size"),
  made_at: instant("When it was completed"),
});

/** Backups in the folder of daily ones; `kanalog backup FILE` writes one to any file. */
export const backups = resource({
  name: "backup",
  area: "system",
  title: "backups in the folder of daily ones, which stay on the appliance's machine",
  schema: backupRows.schema,
  id: inPath(text({ description: "Its name." })),
  hint: "its name",
  find: async (name) => name,
  verbs: [
    verb({
      name: "make",
      on: "none",
      isForPrograms: true,
      title: "start the job that makes the daily backup; the list has the file once it is complete",
      result: jobRows.schema,
      async run(_args, { services, by }) {
        if ((await services.jobs.list()).every(({ name }) => name !== BACKUP_JOB)) {
          throw new AppError("conflict", message("noBackupFolder"));
        }
        return startJob(BACKUP_JOB, services, by);
      },
    }),
    list({
      rows: ["name"],
      title: "list the daily backups, newest first",
      async run(_args, { services, part: { after, limit } }) {
        // By name, since the last one shown may have been deleted meanwhile.
        const found = await all(services);
        return found
          .filter(({ name }) => after === null || name < String(after[0]))
          .slice(0, limit);
      },
    }),
    show<string>({
      title: "show a daily backup",
      async run(_args, { services, id }) {
        const found = (await all(services)).find(({ name }) => name === id);
        if (found === undefined) throw notFound("backup", id);
        return found;
      },
    }),
  ],
});

const all = async ({ dailyBackups }: OperatorServices) =>
  (await dailyBackups()).map(backupRows.row);
