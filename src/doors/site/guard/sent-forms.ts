import { LRUCache } from "lru-cache";

/** How many forms are remembered; the oldest are forgotten. */
const FORMS_MAX = 10_000;

export type SentForms = ReturnType<typeof createSentForms>;

/**
 * Remembers forms that must not be done twice, such as one that makes a key, by the number of the page
 * they were on: reloading the answer sends the form once more. In the memory of this process.
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

    /** Forgets a form that failed, so that it may be sent once more. */
    giveBack(name: string): void {
      sent.delete(name);
    },
  };
}
