import { dlopen } from "bun:ffi";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { hostname } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "./clock.ts";
import { isClockKept } from "./system-calls.ts";

/** The machine that the appliance runs on, and its own process. */
export interface System {
  /** Bytes that this process can still write to the folder's volume. */
  freeBytes(folder: string): Promise<number>;
  process(): ProcessFacts;
  machine(): MachineFacts;
  /**
   * How late the event loop ran since the previous call. The first call returns null and starts the
   * sampling, which wakes the process regularly and therefore waits until somebody asks.
   */
  eventLoopDelay(): EventLoopDelay | null;
  /** The main thread's longest lateness of the last ten seconds. The first call starts watching it. */
  mainThreadLateness(): Lateness | null;
}

export interface ProcessFacts {
  startedAt: number;
  /** Processor time since the start, summed over all processors. */
  processorSeconds: number;
  /** Time that the main thread waited for a processor; null if the system does not tell. */
  waitedSeconds: number | null;
  residentBytes: number;
}

export interface MachineFacts {
  /** Memory that programs may still take, and files that a process may open; null if the system does not tell. */
  availableBytes: number | null;
  openFilesMax: number | null;
  /** Whether a time server keeps the clock. */
  isClockKept: boolean | null;
}

export interface EventLoopDelay {
  medianMs: number;
  /** 99 % of the samples were at most this late. */
  p99Ms: number;
  maxMs: number;
}

/** At this rate, sampling costs 0.4 % of one processor. */
const SAMPLE_EVERY_MS = 20;

export function systemSystem(): System {
  let lateness: (() => Lateness | null) | null = null;
  let delays: ReturnType<typeof monitorEventLoopDelay> | null = null;
  return {
    async freeBytes(folder) {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
    process() {
      const { user, system } = process.cpuUsage();
      const waitedMs = processorWaitMs();
      return {
        startedAt: performance.timeOrigin,
        processorSeconds: (user + system) / 1e6,
        waitedSeconds: waitedMs === null ? null : waitedMs / 1000,
        residentBytes: process.memoryUsage.rss(),
      };
    },
    machine: () => ({
      availableBytes: numberIn("/proc/meminfo", /^MemAvailable: +(\d+) kB/m, 1024),
      openFilesMax: numberIn("/proc/self/limits", /^Max open files +(\d+)/m),
      isClockKept: isClockKept(),
    }),
    mainThreadLateness() {
      lateness ??= watchMainThread();
      return lateness();
    },
    eventLoopDelay() {
      if (delays === null) {
        delays = monitorEventLoopDelay({ resolution: SAMPLE_EVERY_MS });
        delays.enable();
        return null;
      }
      const { max, count } = delays;
      const median = delays.percentile(50);
      const p99 = delays.percentile(99);
      delays.reset();
      return count === 0 ? null : { medianMs: median / 1e6, p99Ms: p99 / 1e6, maxMs: max / 1e6 };
    },
  };
}

/** What an executable for this machine is called, such as `linux-x64-musl`. */
export function platformName(): string {
  const os = process.platform === "win32" ? "windows" : process.platform;
  return `${os}-${process.arch}${os === "linux" && isMuslProgram() ? "-musl" : ""}`;
}

const HEAD_BYTES = 4096;

/** Whether this program's head names musl's loader. */
function isMuslProgram(): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const program = openSync(process.execPath, "r");
  readSync(program, head);
  closeSync(program);
  return head.includes("ld-musl");
}

export function isRunning(processId: number): boolean {
  try {
    // Signal 0 only checks that the process exists.
    return process.kill(processId, 0);
  } catch (error) {
    // The process exists, but belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A name for this process that is unique across machines and containers. */
export function processName(unique: string): string {
  return `${hostname()} ${process.pid} ${unique}`;
}

/**
 * Whether the named process has ended, as far as this machine can tell; false for a process of another
 * machine or container.
 */
export function hasEnded(name: string, own: string): boolean {
  const [host, processId] = name.split(" ");
  if (name === own || host !== hostname()) return false;
  // In a container every start gets the same process id, so a name with ours is from a previous start.
  return Number(processId) === process.pid || !isRunning(Number(processId));
}

/** `PR_SET_PDEATHSIG` of prctl, and the signal that no process can refuse. */
const SIGNAL_AT_PARENTS_DEATH = 1;
const SIGKILL = 9n;

/**
 * Has Linux kill this process as soon as its parent ends, however busy this process is: code of ours would
 * only run once its thread is free. Does nothing if the parent has already ended, or without glibc.
 */
export function dieWithParent(): void {
  try {
    const { symbols } = dlopen("libc.so.6", {
      prctl: { args: ["i32", "u64", "u64", "u64", "u64"], returns: "i32" },
    });
    symbols.prctl(SIGNAL_AT_PARENTS_DEATH, SIGKILL, 0n, 0n, 0n);
  } catch {
    // Another C library; the worker notices that its channel to the parent closes.
  }
}

/**
 * File descriptors that must be free before a thread starts: it takes four, and connections are accepted
 * meanwhile. Bun 1.4.4 ends the whole process if a thread finds none.
 */
const FREE_MIN = 32;

/** Whether the process may open enough files for another thread. */
export function hasDescriptors(): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < FREE_MIN) opened.push(openSync("/dev/null", "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

/** One time at which the main thread came to its work late. */
export interface Lateness {
  lateMs: number;
  /** Part of it spent waiting for a processor; the rest is our own doing. Null if the system does not tell. */
  waitedMs: number | null;
  at: number;
}

/** Interval of the looks. What begins between two is seen shorter by up to as much. */
const LOOK_MS = 50;
/** How long a lateness is reported. */
const KEPT_MS = 10_000;

/**
 * Watches how late the main thread is. @returns a function that tells the longest lateness of the last ten
 * seconds; null before the second look
 */
export function watchMainThread(): () => Lateness | null {
  let longest: Lateness | null = null;
  let keptUntilMs = 0;
  let before = { atMs: performance.now(), waitMs: processorWaitMs() };

  function look(): void {
    const now = { atMs: performance.now(), waitMs: processorWaitMs() };
    const lateMs = Math.max(0, now.atMs - before.atMs - LOOK_MS);
    if (longest === null || lateMs >= longest.lateMs || now.atMs > keptUntilMs) {
      const waitedMs =
        now.waitMs === null || before.waitMs === null
          ? null
          : Math.min(lateMs, now.waitMs - before.waitMs);
      longest = { lateMs, waitedMs, at: Date.now() };
      keptUntilMs = now.atMs + KEPT_MS;
    }
    before = now;
  }

  setInterval(look, LOOK_MS).unref();
  return () => longest;
}

function numberIn(path: string, pattern: RegExp, unit = 1): number | null {
  try {
    const [, found] = pattern.exec(readFileSync(path, "utf8")) ?? [];
    return found === undefined ? null : Number(found) * unit;
  } catch {
    return null;
  }
}

/** How long the main thread has waited for a processor since its start; null if the system does not tell. */
function processorWaitMs(): number | null {
  try {
    return Number(readFileSync("/proc/self/schedstat", "utf8").split(" ")[1]) / 1e6;
  } catch {
    return null;
  }
}

interface OwnedWork {
  owner: string | null;
  heartbeatAt: number | null;
}

/**
 * Tells whether work is abandoned: its process has ended, or has sent no heartbeat for too long. Silence is
 * measured by this process's own passing of time, because wall clocks may be set back.
 * @param own name of this process (`processName`)
 * @param silentMs longest time between two heartbeats of a process that works
 */
export function createIsAbandoned(
  own: string,
  silentMs: number,
  clock: Clock,
): (id: number | string, work: OwnedWork) => boolean {
  /** Each work's owner and last heartbeat, and when this process first saw that heartbeat. */
  const heartbeats = new Map<
    number | string,
    { owner: string; at: number | null; sinceMs: number }
  >();
  return (id, { owner, heartbeatAt }) => {
    if (owner === null || hasEnded(owner, own)) return true;
    const nowMs = clock.monotonic();
    const seen = heartbeats.get(id);
    if (seen?.at === heartbeatAt && seen.owner === owner) return nowMs - seen.sinceMs > silentMs;
    heartbeats.set(id, { owner, at: heartbeatAt, sinceMs: nowMs });
    return false;
  };
}
