import { expect, test } from "bun:test";
import { createDownloads } from "../../../src/catalog/exports/bulk.ts";
import {
  type ExportPart,
  exportPart,
  partStream,
} from "../../../src/catalog/exports/export-part.ts";
import { readExport } from "../../../src/catalog/exports/export-selection.ts";
import { COMMAND_LINE } from "../../../src/customers/audit/audit-log.ts";
import { startAppliance } from "../../support/appliance.ts";
import { channel, imported } from "../../support/expectations.ts";

test("a download that is cancelled while a part is being read releases its place once", async () => {
  const appliance = await startAppliance();
  await imported(appliance, "channels", [channel(1)]);
  const { app, ports } = appliance;
  const { db } = app.domains;
  const started = Promise.withResolvers<void>();
  const goesOn = Promise.withResolvers<void>();
  const downloads = createDownloads(
    {
      readExport: async (wish) => readExport(db, ports.clock, wish),
      noteExport: async () => {},
      async exportPart(turn): Promise<ExportPart> {
        started.resolve();
        await goesOn.promise;
        return exportPart(db, turn);
      },
    },
    ports,
  );
  const start = async () => {
    const { parts, close } = await downloads.open(
      {
        ...{ kind: "channels", format: "csv", isRaw: false, from: "", to: "", channel: "" },
        ...{ hosts: [], openDays: 1 },
      },
      COMMAND_LINE,
    );
    return partStream(parts, close);
  };
  const reader = (await start()).getReader();
  const read = reader.read();
  await started.promise;
  const cancelled = reader.cancel();
  const second = await start();
  goesOn.resolve();
  await Promise.all([read, cancelled]);
  await expect(start()).rejects.toThrow("Another export is running");
  expect(await new Response(second).text()).toStartWith("id,");
  await (await start()).cancel();
  await appliance.close();
});
