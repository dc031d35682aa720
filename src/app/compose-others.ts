import type { Readiness } from "../doors/http/readiness.ts";
import type { RecentEntry } from "../ports/recent-log.ts";
import type { MetricsJson } from "../upkeep/metrics/metrics.ts";
import type { Crew } from "./workers/crew.ts";

/** Questions to the other workers of the appliance; if there are none, every answer is empty. */
export function composeOthers(crew: Crew | null) {
  const ask: Crew["ask"] = crew?.ask ?? (async () => []);
  const first = async <Answer>(answers: Promise<(Answer | null)[]>): Promise<Answer | null> =>
    (await answers).find((answer) => answer !== null) ?? null;
  return {
    uploads: {
      find: (token: string) => first(ask("findUpload", token)),
      release: (token: string) => first(ask("releaseUpload", token)),
    },

    /**
     * Metrics of the other workers plus the final counters of those that ended; null if it serves alone.
     */
    metrics:
      crew &&
      (async (own: MetricsJson) => (await ask("metrics", own)).filter((answer) => answer !== null)),

    /** The readiness of all other workers; one that does not answer appears as a warning. */
    async ready(): Promise<Readiness[]> {
      if (crew === null) return [];
      const answers = await ask("ready", null);
      const silent = answers.filter((answer) => answer === null).length;
      const warning = `Workers that do not answer or are still starting: ${silent} of ${crew.count}.`;
      const workers: Readiness = {
        checks: [],
        warnings: [["workers", silent === 0 ? null : warning]],
      };
      return [workers, ...answers.filter((answer) => answer !== null)];
    },

    /** Warnings and errors of all workers, latest first. */
    async errors(own: RecentEntry[]): Promise<RecentEntry[]> {
      const answers = (await ask("errors", null)).map((answer) => answer ?? []);
      return [own, ...answers].flat().toSorted((one, other) => other.at - one.at);
    },
  };
}
