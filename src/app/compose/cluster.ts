import { version } from "../../../package.json";
import {
  isSearchOptimized,
  TEXTS_MANY,
  textsWrittenSince,
} from "../../catalog/search/search-terms.ts";
import { createClusterLease, type NodeState, selectNodes } from "../../cluster/cluster-state.ts";
import { createClusterUsageCommits } from "../../cluster/cluster-usage.ts";
import { createFollower } from "../../cluster/copy-newest.ts";
import { copiedVersion, copyNewestAt, requireCluster } from "../../cluster/link.ts";
import { COMMITS_CHANNEL, listenToNotices } from "../../cluster/notices.ts";
import { createRateShares, RATES_CHANNEL } from "../../cluster/rate-shares.ts";
import type { Config } from "../../config.ts";
import { ALONE, type RateShares } from "../../customers/limits/rates.ts";
import type { Database } from "../../db/database.ts";
import type { NodeSettings } from "../../db/shared-rows.ts";
import { AppError, storageUnavailable } from "../../errors.ts";
import { inTime } from "../../ports/clock.ts";
import type { Ports } from "../../ports/ports.ts";
import { processName } from "../../ports/system.ts";
import type { ReadyChecks } from "../../upkeep/checks/readiness.ts";
import type { UpkeepLease } from "../../upkeep/lease/lease.ts";
import { message } from "../../values/messages/messages.ts";
import type { DatabaseThreads } from "../database-threads.ts";
import { finishStart, nodeSettings } from "../node-copy.ts";

/**
 * How long a request may wait for other nodes' changes: together with its other waits, it must be answered
 * within half a minute.
 */
const COPY_MS = 5_000;

const copyTooLate = (): AppError =>
  storageUnavailable(new Error(`nothing could be copied within ${COPY_MS} ms`));

/** A process's part in a cluster. On a standalone appliance every member does nothing. */
export interface ClusterPart {
  /** Commits usage for all nodes; null if usage is counted in the local file. */
  usage: ReturnType<typeof createClusterUsageCommits> | null;
  /**
   * @returns whether the copy has advanced since the call, whichever process advanced it
   * @throws AppError `unavailable` if nothing could be copied
   */
  copyNewest(): Promise<boolean>;
  /** Shares of organizations' rates that this node may use. */
  rates: RateShares & { tick(): Promise<void> };
  /** Lease for work that only one process may do. */
  upkeep: UpkeepLease;
  /** Whether this process sends webhooks: on each node, the one worker that does its upkeep. */
  pushes(): boolean;
  /** Called once a second. */
  tick(): Promise<void>;
  /** How long ago the copy was last up to date; null if the file is not a copy. */
  lagMs: (() => number) | null;
  /**
   * Called before a key is believed, which another node may have revoked; null on a standalone appliance.
   * @throws AppError `unavailable` if the copy has been out of date for longer than `KANALOG_LAG_MAX`
   */
  requireCurrent: (() => void) | null;
  checks: ReadyChecks;
  /** For staff's page of nodes; null on a standalone appliance. */
  nodes: (() => Promise<NodeState[]>) | null;
  stop(): Promise<void>;
}

interface NodeParts {
  db: Database;
  /** A connection whose writes reach all nodes. */
  writing: Database;
  threads: DatabaseThreads;
  config: Config;
  ports: Ports;
  /** The lease among this node's workers. */
  nodeLease: UpkeepLease;
  /** Throws while this machine's clock is wrong. */
  readClock: () => number;
}

export function composeCluster(parts: NodeParts): ClusterPart {
  const settings = nodeSettings(parts.config);
  return settings === null ? standalone(parts.nodeLease) : nodeOf(settings, parts);
}

function standalone(upkeep: UpkeepLease): ClusterPart {
  return {
    usage: null,
    rates: { ...ALONE, tick: async () => {} },
    copyNewest: async () => false,
    upkeep,
    pushes: upkeep.isOwn,
    tick: async () => {},
    lagMs: null,
    requireCurrent: null,
    checks: {},
    nodes: null,
    stop: async () => {},
  };
}

/** Time for the first copy after a start, during which keys are believed as they were before. */
const FIRST_COPY_MS = 10_000;

function nodeOf(
  { url, node: name }: NodeSettings,
  { db, writing, threads, config, ports, nodeLease, readClock }: NodeParts,
): ClusterPart {
  const { clock, log, random } = ports;
  const usage = createClusterUsageCommits(db, url, name, clock, readClock);
  /** Search texts written since the search index was last optimized, and the change they are counted up to. */
  const written = { texts: 0, until: 0 };
  const copy = async (): Promise<void> => {
    await finishStart(writing);
    await threads.push.copyNewest({ node: name, program: version });
  };
  const follower = createFollower(copy, log);
  const startedAt = clock.now();
  const owner = processName(random.uuid(startedAt));
  const upkeep = createClusterLease(nodeLease, { url, owner }, { clock, log });
  const notices = listenToNotices(url, `kanalog ${name} notices`, clock, {
    [COMMITS_CHANNEL]: () => {
      if (nodeLease.isOwn()) void follower.tick();
    },
    [RATES_CHANNEL]: (payload) => rates.hear(payload),
  });
  const rates = createRateShares({ node: name, process: owner }, notices, clock);
  // Read from the file, because one worker copies on behalf of all of this node's workers.
  const lagMs = (): number => clock.now() - copyNewestAt(db);
  /** Kept because every request with a key asks; read again once it is too long ago. */
  let newestAt = 0;
  const isOutdated = (): boolean => {
    if (clock.now() - newestAt > config.lagMaxMs) newestAt = copyNewestAt(db);
    return clock.now() - newestAt > config.lagMaxMs;
  };
  const fault = (): string | null =>
    usage.clockFault() ??
    (isOutdated() ? "This node's copy of the cluster's rows is out of date." : null);
  return {
    usage,
    rates,
    async copyNewest() {
      const before = copiedVersion(db);
      await inTime(follower.copyNewest(), COPY_MS, copyTooLate).catch((error) => {
        // A node that must not copy, because another one has its name, is the operator's problem: callers
        // just see `unavailable`.
        throw error instanceof AppError && error.code === "conflict"
          ? storageUnavailable(error)
          : error;
      });
      return copiedVersion(db) > before;
    },
    upkeep,
    pushes: upkeep.mayChange,
    async tick() {
      if (!nodeLease.isOwn()) return;
      await follower.tick();
      const { texts, until } = textsWrittenSince(db, written.until);
      written.texts += texts;
      written.until = until;
      // Once no more come: after a node's start, and after its own import, the index is optimized already.
      const isMoreComing = texts > 0;
      if (isMoreComing || written.texts < TEXTS_MANY) return;
      written.texts = 0;
      if (isSearchOptimized(db)) return;
      await threads.bulk
        .optimizeSearch()
        .catch((error) => log.warn({ err: error }, "the search index could not be optimized"));
    },
    lagMs,
    requireCurrent() {
      if (clock.now() - startedAt > FIRST_COPY_MS && isOutdated())
        throw new AppError("unavailable", message("copyOutdated"));
    },
    checks: { cluster: fault },
    nodes: () => selectNodes(requireCluster(writing).authority.query),
    async stop() {
      await Promise.all([notices.stop(), upkeep.leave()]);
    },
  };
}
