/** Work of which one turn runs at a time: all calls during a turn share the next one. */
export function createSharedTurn(work: () => Promise<void>) {
  let isRequested = false;
  let underWay: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      while (isRequested) {
        isRequested = false;
        await work();
      }
    } finally {
      underWay = null;
    }
  }

  return {
    /**
     * Settles once a turn begun after the call has ended and no other is requested; rejects if one fails.
     */
    request(): Promise<void> {
      isRequested = true;
      underWay ??= run();
      return underWay;
    },

    /** Settles as `request`; null if no turn is in progress. */
    underWay: (): Promise<void> | null => underWay,
  };
}
