import type { Clock } from "./clock.ts";
import { type Log, withoutSecrets } from "./log.ts";

/** A warning or an error, as staff read it in the console. */
export interface RecentEntry {
  at: number;
  level: "warn" | "error";
  message: string;
  requestId: string | null;
  /** Its numbers and names, such as `work: recount, heldMs: 61`; empty if there are none. */
  facts: string;
  /** The private cause's text without secrets; empty if there is none. */
  cause: string;
}

const ENTRIES_MAX = 200;
/** Longer than a normal stack; errors of other programs may have any length. */
const CAUSE_LENGTH_MAX = 2_000;

/** Keeps this process's latest warnings and errors in memory. */
export function createRecentLog(log: Log, clock: Clock) {
  const ring: RecentEntry[] = [];
  const keeping =
    (level: "warn" | "error") =>
    (fields: object, message: string): void => {
      log[level](fields, message);
      ring.push({
        at: clock.now(),
        level,
        message: withoutSecrets(message),
        ...keptOf(fields),
      });
      if (ring.length > ENTRIES_MAX) ring.shift();
    };
  return {
    /** Passes everything on to the log, and keeps warnings and errors. */
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: keeping("warn"),
      error: keeping("error"),
    } satisfies Log,
    entries: (): RecentEntry[] => ring.toReversed(),
  };
}

/** Fields whose text is a name chosen by the program. */
const OWN_NAMES = new Set(["work", "job"]);

/**
 * What is kept of an entry's fields: numbers, and names chosen by the program. Other texts may contain
 * anything.
 */
function keptOf(fields: object): Pick<RecentEntry, "requestId" | "facts" | "cause"> {
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
  // Truncated only after secrets are removed: half a credential would not be recognized.
  return withoutSecrets(text).slice(0, CAUSE_LENGTH_MAX);
}
