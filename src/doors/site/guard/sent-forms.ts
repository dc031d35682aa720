import { LRUCache } from "lru-cache";

/** How many forms are remembered; the oldest are forgotten. */
const FORMS_MAX = 10_000;

export interface SentForms {
  /** False where it was taken before. */
  take(name: string): boolean;
  /** Notes that a form that was taken is done. */
  keep(name: string): void;
  /** Forgets a form that failed, so that it may be sent once more. */
  giveBack(name: string): void;
}

/**
 * Remembers forms that must not be done twice, such as one that makes a key, by the number of the page
 * they were on: reloading the answer sends the form once more. Several workers share theirs
 * (src/values/shared-claims.ts).
 */
export function createSentForms(): SentForms {
  const sent = new LRUCache<string, true>({ max: FORMS_MAX });
  return {
    take(name) {
      if (sent.has(name)) return false;
      sent.set(name, true);
      return true;
    },

    keep() {},

    giveBack(name) {
      sent.delete(name);
    },
  };
}
