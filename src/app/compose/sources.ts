import { sharedStop } from "../../catalog/imports/reading/input.ts";
import { createUploadFiles } from "../../catalog/imports/runs/upload-files.ts";
import type { ImportSummary } from "../../catalog/imports/writing/import-summary.ts";
import type { BatchRun } from "../../catalog/sources/bots/batch-writer.ts";
import { callApi } from "../../catalog/sources/bots/call-api.ts";
import { isHandleTaken, selectPostIds } from "../../catalog/sources/bots/stored-posts.store.ts";
import { downloadFile } from "../../catalog/sources/files/download-file.ts";
import type { SourceFile } from "../../catalog/sources/files/import-source-file.ts";
import { pushBase } from "../../catalog/sources/max/pushes.ts";
import { createSourceGuard } from "../../catalog/sources/source-address.ts";
import type { SourceChanges } from "../../catalog/sources/source-changes.ts";
import { createSources, type Sources } from "../../catalog/sources/sources.ts";
import type { Config } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import type { Ports } from "../../ports/ports.ts";
import { createTargetGuard } from "../../values/network/target-guard.ts";
import type { SecretBox } from "../../values/secret-box.ts";

const RESOLVE_MAX_MS = 10_000;

/**
 * Builds the sources, for a serving process or a command.
 * @param writing what writes; while serving, dedicated threads
 */
export function composeSources(
  db: Database,
  writing: {
    changes: SourceChanges;
    importSourceFile(file: SourceFile): Promise<ImportSummary>;
    applyBatch(run: BatchRun): Promise<ImportSummary | null>;
  },
  secrets: () => Promise<SecretBox>,
  config: Config,
  ports: Ports,
): Sources {
  const { messengerHosts, statisticsOpenDays: openDays, sourceAllow } = config;
  const { network } = ports;
  const guard = createSourceGuard(createTargetGuard(network.resolve, sourceAllow), sourceAllow);
  return createSources(
    db,
    writing.changes,
    {
      secrets,
      pushBase: pushBase(config.baseUrl),
      storedPosts: async (chat, span) => selectPostIds(db, chat, span),
      isHandleTaken: async (chat, handle) => isHandleTaken(db, chat, handle),
      async allows(address) {
        const { isSecure, target } = address;
        if (isSecure && !target.isAddress) return true;
        if (!isSecure && sourceAllow.length === 0) return false;
        // A name server that fails now proves nothing about the address.
        const found = await guard(address, RESOLVE_MAX_MS);
        return found.ok || found.reason !== "refused";
      },
      files: createUploadFiles(config.databasePath, ports),
      download: (url, request) => downloadFile({ guard, download: network.download }, url, request),
      ask: (request) => callApi({ guard, get: network.get }, request),
      importFile: (file, signal) =>
        writing.importSourceFile({ ...file, messengerHosts, openDays, stop: sharedStop(signal) }),
      applyBatch: (run) => writing.applyBatch({ ...run, messengerHosts, openDays }),
    },
    ports,
  );
}
