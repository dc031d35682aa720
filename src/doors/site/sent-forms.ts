import { LRUCache } from "lru-cache";

/** Forms that are remembered; the oldest are forgotten. */
const FORMS_MAX = 10_000;

export type SentForms = ReturnType<typeof createSentForms>;

/**
 * Forms that do what must not be done twice, by the number of the page they were on: who reloads
 * their answer sends them once more. In this process.
 */
export function createSentForms() {
  const sent = new LRUCache<string, true>({ max: FORMS_MAX });
  return {
    /** False where it was taken before. */
    take(name: string): boolean {
      if (sent.has(name)) return false;
      sent.set(name, true);
      return true;
    },

    /** What failed may be sent once more. */
    giveBack(name: string): void {
      sent.delete(name);
    },
  };
}
