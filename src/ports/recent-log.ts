import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** A warning or an error, as staff reads it in the console. */
export interface RecentEntry {
  at: number;
  level: "warn" | "error";
  message: string;
  requestId: string | null;
  /** Its numbers and names, such as `work: recount, heldMs: 61`; empty where there are none. */
  facts: string;
  /** The private cause's text, its secrets taken out; empty where there is none. */
  cause: string;
}

const ENTRIES_MAX = 200;
/** More than a usual stack; other programs' errors may be of any length. */
const CAUSE_LENGTH_MAX = 2_000;

/** Remembers this process's last warnings and errors, in memory. */
export function createRecentLog(log: Log, clock: Clock) {
  const ring: RecentEntry[] = [];
  const remembering =
    (level: "warn" | "error") =>
    (fields: object, message: string): void => {
      log[level](fields, message);
      ring.push({ at: clock.now(), level, message: withoutSecrets(message), ...told(fields) });
      if (ring.length > ENTRIES_MAX) ring.shift();
    };
  return {
    /** Writes to the log as before, and remembers warnings and errors. */
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: remembering("warn"),
      error: remembering("error"),
    } satisfies Log,
    /** The latest first. */
    entries: (): RecentEntry[] => ring.toReversed(),
  };
}

/** Fields whose text is the program's own. */
const OWN_NAMES = new Set(["work", "job"]);

/** Other texts than these are not remembered: they may hold anything. */
function told(fields: object): Pick<RecentEntry, "requestId" | "facts" | "cause"> {
  const { requestId, err } = fields as { requestId?: unknown; err?: unknown };
  const facts = Object.entries(fields).filter(
    ([name, value]) => typeof value === "number" || OWN_NAMES.has(name),
  );
  return {
    requestId: typeof requestId === "string" ? requestId : null,
    facts: facts.map(([name, value]) => `${name}: ${value}`).join(", "),
    cause: err === undefined || err === null ? "" : causeText(err),
  };
}

function causeText(err: unknown): string {
  const text = err instanceof Error ? (err.stack ?? err.message) : String(err);
  // Cut after the secrets are out: half a credential would not be recognized.
  return withoutSecrets(text).slice(0, CAUSE_LENGTH_MAX);
}
