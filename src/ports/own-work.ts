/*
 * Limits of what runs by itself, with nobody waiting who would give it up. Each rule of work on threads must
 * name its deadline, and what waits for another machine passes through `withDeadline` or a port that has one.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Fetching one file, importing one, and sending one; a source may set another for its files. */
export const FILE_MAX_MS = HOUR_MS;

export const BOT_RUN_MAX_MS = HOUR_MS;

/** An attempt of a webhook, from resolving the name to the end of the response head. */
export const ATTEMPT_MAX_MS = 10_000;

/** A mail, and how long its server may be silent. */
export const MAIL = { maxMs: MINUTE_MS, silenceMaxMs: 10_000 };

/** A job; less than the time after which another process takes it for crashed. */
export const JOB_MAX_MS = 45 * MINUTE_MS;

/** Work on a thread that usually takes milliseconds, or seconds when it goes through the catalog in parts. */
export const TASK_MAX_MS = 10 * MINUTE_MS;

/** Least rate of the other side, over any such time, for files that are fetched and sent. */
export const LEAST_RATE = { kilobytesPerS: 64, overMs: MINUTE_MS };
export type LeastRate = typeof LEAST_RATE;

/** How long work that was told to stop may take for that; then it is left behind. */
export const STOPPING_MAX_MS = 10_000;
