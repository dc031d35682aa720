import type { UploadsOfOthers } from "../catalog/imports/held-uploads.ts";
import type { Looks } from "../doors/http/readiness.ts";
import type { RecentEntry } from "../ports/recent-log.ts";
import type { MetricsJson } from "../upkeep/metrics/metrics.ts";
import type { Crew } from "./workers/crew.ts";

/** Reads the memory of the other workers; nothing where there are none. */
export interface Others {
  uploads: UploadsOfOthers;
  /** Metrics of the workers that answer, and counts of those that ended; null where it serves alone. */
  metrics: ((own: MetricsJson) => Promise<MetricsJson[]>) | null;
  /** Looks of all other workers; a warning stands for each that does not answer. */
  ready(): Promise<Looks[]>;
  /** Warnings and errors of all, the latest first. */
  errors(own: RecentEntry[]): Promise<RecentEntry[]>;
}

const ALONE: Others = {
  uploads: { find: async () => null, release: async () => null },
  metrics: null,
  ready: async () => [],
  errors: async (own) => own,
};

export function composeOthers(crew: Crew | null): Others {
  if (crew === null) return ALONE;
  const first = async <Answer>(answers: Promise<(Answer | null)[]>): Promise<Answer | null> =>
    (await answers).find((answer) => answer !== null) ?? null;
  return {
    uploads: {
      find: (token) => first(crew.ask("findUpload", token)),
      release: (token) => first(crew.ask("releaseUpload", token)),
    },
    metrics: async (own) => (await crew.ask("metrics", own)).filter((answer) => answer !== null),
    async ready() {
      const answers = await crew.ask("ready", null);
      const silent = answers.filter((answer) => answer === null).length;
      const said = `Of ${crew.count} workers ${silent} do not answer, or start just now.`;
      const workers: Looks = { checks: [], warnings: [["workers", silent === 0 ? null : said]] };
      return [workers, ...answers.filter((answer) => answer !== null)];
    },
    async errors(own) {
      const answers = (await crew.ask("errors", null)).map((answer) => answer ?? []);
      return [own, ...answers].flat().toSorted((one, other) => other.at - one.at);
    },
  };
}
