import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** A warning or an error, as staff reads it in the console. */
export interface RecentEntry {
  at: number;
  level: "warn" | "error";
  message: string;
  requestId: string | null;
  /** The private cause's text, its secrets taken out; empty where there is none. */
  cause: string;
}

const ENTRIES_MAX = 200;
/** A stack is some lines long; what is longer is something else. */
const CAUSE_LENGTH_MAX = 2_000;

export interface RecentLog {
  /** Writes what it is told, and remembers it. */
  log: Log;
  /** The latest first. */
  entries(): RecentEntry[];
}

/** Remembers this process's last warnings and errors; gone with it. */
export function createRecentLog(log: Log, clock: Clock): RecentLog {
  const ring: RecentEntry[] = [];
  const remembering =
    (level: "warn" | "error") =>
    (fields: object, message: string): void => {
      log[level](fields, message);
      ring.push({ at: clock.now(), level, message: withoutSecrets(message), ...told(fields) });
      if (ring.length > ENTRIES_MAX) ring.shift();
    };
  return {
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: remembering("warn"),
      error: remembering("error"),
    },
    entries: () => ring.toReversed(),
  };
}

/** Of the fields only these: what else a caller logs may be anything. */
function told(fields: object): Pick<RecentEntry, "requestId" | "cause"> {
  const { requestId, err } = fields as { requestId?: unknown; err?: unknown };
  return {
    requestId: typeof requestId === "string" ? requestId : null,
    cause: err === undefined || err === null ? "" : causeText(err),
  };
}

function causeText(err: unknown): string {
  const text = err instanceof Error ? (err.stack ?? err.message) : String(err);
  // Cut only then: half a credential is not known for one.
  return withoutSecrets(text).slice(0, CAUSE_LENGTH_MAX);
}
