import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { derivedRows } from "../catalog/derived-rows.ts";
import type { NodeState } from "../cluster/cluster-state.ts";
import { findClusterState, requireReadable, selectNodes } from "../cluster/cluster-state.ts";
import { openConnection, type Session } from "../cluster/connection.ts";
import { forgetNode, NAME_TAKEN_S, noteNode } from "../cluster/copy-newest.ts";
import { linkToCluster } from "../cluster/link-to-cluster.ts";
import {
  beginCopy,
  copyAll,
  endCopy,
  makeCluster,
  sendAhead,
  takeOverCopy,
} from "../cluster/make-cluster.ts";
import { deploymentFiles } from "../cluster/setup/deployment-files.ts";
import { examineCluster } from "../cluster/setup/doctor.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { isInUse, replaceDatabase, requireUnused, writeCopy } from "../db/file/database-copy.ts";
import { TURNS_ENDING } from "../db/lock.ts";
import { migrate } from "../db/migrate.ts";
import { openDatabase, openExisting, requireExisting } from "../db/open-database.ts";
import type { NodeSettings } from "../db/shared-rows.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ports } from "../ports/ports.ts";
import { backupAt } from "../upkeep/backups/backup-files.ts";
import { wholeBackup } from "../upkeep/backups/page-backup.ts";
import type { Finding } from "../upkeep/checks/finding.ts";
import { message } from "../values/messages/messages.ts";
import { fileStamp } from "../values/moscow-time.ts";
import { type NodeSecrets, requireCopyOf, requireNode } from "./node-copy.ts";

export type ClusterCommands = ReturnType<typeof clusterCommands>;

export function clusterCommands(config: Config, { clock, random, network, system }: Ports) {
  const node = (): NodeSecrets => requireNode(config);
  const newId = (): string => random.uuid(clock.now());
  const copy = (path: string, settings: NodeSecrets, more: Partial<NewCopy> = {}) =>
    makeCopy(
      path,
      {
        ...{ ...settings, copyId: newId(), postSearch: config.postSearch },
        ...{ takesOver: false, from: null, ...more },
      },
      clock,
    );

  return {
    /**
     * Makes a cluster of a file, which becomes the first node's copy. While another process uses the file, its
     * rows are only sent ahead; called again once the file is free, this sends what has changed since.
     * @returns the number of shared rows, and whether there is a cluster now
     */
    async init(file: string): Promise<{ rows: number; isMade: boolean }> {
      const settings = node();
      requireExisting(file);
      const withFile = async (work: (db: Database) => Promise<number>): Promise<number> => {
        using db = openDatabase(file, clock);
        await migrate(db, clock);
        return await work(db);
      };
      if (isInUse(file)) {
        const rows = await withFile((db) => sendAhead(db, settings));
        // A process still serving the file would go on billing into it instead of into the cluster.
        if (isInUse(file)) return { rows, isMade: false };
      }
      const ids = { id: newId(), copyId: newId() };
      const rows = await withFile((db) => makeCluster(db, clock, { ...settings, ...ids }));
      return { rows, isMade: true };
    },

    /**
     * Makes this machine a node: copies the cluster to the configured path. If it is killed, it can be
     * started again.
     * @param from backup of a node's file, which saves copying all but the newest rows; null for none
     * @returns the copy's version
     */
    async join(from: string | null = null): Promise<number> {
      const { databasePath } = config;
      requireFree(databasePath);
      const draft = `${databasePath}.copying`;
      const version = await copy(draft, node(), { from });
      renameSync(draft, databasePath);
      return version;
    },

    /**
     * Replaces this node's copy by a new one. @returns its version, and where the previous copy was moved
     * to
     */
    async rebuild(from: string | null = null): Promise<{ version: number; keptAs: string | null }> {
      const { databasePath } = config;
      const draft = `${databasePath}.copying`;
      if (existsSync(databasePath)) requireUnused(databasePath);
      try {
        const version = await copy(draft, node(), { takesOver: true, from });
        const suffix = `.before-rebuild-${fileStamp(clock.now())}`;
        return { version, ...replaceDatabase(databasePath, draft, suffix, clock) };
      } finally {
        removeDatabase(draft);
      }
    },

    /**
     * Writes the cluster's data into a new file, which then works as a standalone appliance.
     * @returns the version of the data
     */
    async leave(file: string): Promise<number> {
      const settings = node();
      // Registered under its own name: the node itself keeps running, and this copy leaves the cluster.
      const leaving = { ...settings, node: `${settings.node} leaves` };
      requireFree(file);
      try {
        const version = await copy(file, leaving);
        using db = openDatabase(file, clock);
        await endCopy(db, clock);
        return version;
      } finally {
        await withSession(leaving, ({ query }) => forgetNode(query, leaving.node));
      }
    },

    /**
     * Removes a node that is gone for good, so that the others stop waiting for it.
     * @throws AppError `not_found`; `conflict` if the node is running
     */
    async forget(name: string): Promise<void> {
      await withSession(node(), async ({ query }) => {
        const found = (await selectNodes(query)).find((one) => one.node === name);
        if (found === undefined) throw new AppError("not_found", message("noNode", { node: name }));
        if (found.silentS < NAME_TAKEN_S) {
          throw new AppError("conflict", message("nodeRuns", { node: name }));
        }
        await forgetNode(query, name);
      });
    },

    async doctor(patroniPort: number): Promise<Finding[]> {
      const { url, node: name } = node();
      const { databasePath } = config;
      const free = await system.freeBytes(dirname(databasePath)).catch(() => null);
      const file = existsSync(databasePath) ? statSync(databasePath).size : 0;
      const looks = { url, node: name, patroniPort, disk: { free, file } };
      return examineCluster(looks, { clock, network });
    },

    /**
     * Writes the configuration of every machine of a new cluster, with passwords of its own.
     * @param folder a new folder
     * @returns the paths
     * @throws AppError `conflict` if the folder exists
     */
    files(hosts: readonly string[], postgres: number, folder: string): string[] {
      if (existsSync(folder))
        throw new AppError("conflict", message("copyExists", { file: folder }));
      const word = (): string => Buffer.from(random.bytes(24)).toString("hex");
      const passwords = { superuser: word(), replication: word(), kanalog: word() };
      const secret = config.secret ?? word();
      const files = deploymentFiles({ hosts, postgres, passwords, secret });
      return [...files].map(([name, content]) => {
        const path = join(folder, name);
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        writeFileSync(path, content, { mode: 0o600 });
        return path;
      });
    },

    status: (): Promise<NodeState[]> => withSession(node(), ({ query }) => selectNodes(query)),
  };
}

interface NewCopy extends NodeSecrets {
  copyId: string;
  postSearch: boolean;
  /** Whether the new copy replaces this node's existing one. */
  takesOver: boolean;
  /** Backup of a node's file to start from; null for none. */
  from: string | null;
}

/** @throws AppError `conflict` if the file exists */
function requireFree(path: string): void {
  if (existsSync(path)) throw new AppError("conflict", message("copyExists", { file: path }));
}

/**
 * Writes a copy into a file, in place of one that a killed process left; leaves no file behind if that fails.
 * @throws AppError `conflict` if another node with the same name is running, or another process writes there
 */
async function makeCopy(path: string, wanted: NewCopy, clock: Clock): Promise<number> {
  if (existsSync(path)) requireUnused(path);
  const { node, copyId, secret, takesOver } = wanted;
  const from = wanted.from === null ? null : backupAt(wanted.from);
  const state = await withSession(wanted, ({ query }) => findClusterState(query));
  requireReadable(state, secret);
  // Registered before anything is copied: rows deleted from now on stay recorded until this copy has seen
  // their deletion.
  const joining = { node, copyId, version: 0, program: "joins" };
  await withSession(wanted, ({ query }) => noteNode(query, joining, takesOver));
  removeDatabase(path);
  if (from !== null) copyFile(from, path, clock);
  const db = openDatabase(path, clock);
  let isWhole = false;
  try {
    await migrate(db, clock);
    if (from === null) await beginCopy(db, clock, { clusterId: state.id, copyId });
    else {
      await withSession(wanted, ({ query }) => requireCopyOf(query, db, from));
      await takeOverCopy(db, clock, copyId);
    }
    linkToCluster(db, wanted, "commands", derivedRows);
    const version = await copyAll(db, clock, wanted.postSearch);
    const joined = { node, copyId, version, program: "joined" };
    await withSession(wanted, ({ query }) => noteNode(query, joined));
    isWhole = true;
    return version;
  } finally {
    db.close();
    if (!isWhole) removeDatabase(path);
  }
}

function copyFile(from: string, path: string, clock: Clock): void {
  using whole = wholeBackup(from, path, clock);
  using db = openExisting(whole.path, clock);
  writeCopy(db, path, clock);
}

function removeDatabase(path: string): void {
  for (const end of ["", "-wal", "-shm", TURNS_ENDING]) rmSync(path + end, { force: true });
}

async function withSession<T>(
  { url, node }: NodeSettings,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const connection = openConnection(url, `kanalog ${node} commands`);
  try {
    return await connection.use(work);
  } finally {
    await connection.close();
  }
}
