/** Work that is repeated until no call came in meanwhile: calls during a turn share the next one. */
export function createSharedTurn(work: () => Promise<void>) {
  let isAsked = false;
  let underWay: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      while (isAsked) {
        isAsked = false;
        await work();
      }
    } finally {
      underWay = null;
    }
  }

  return {
    /** Settles once the requested work is done, and rejects if it fails. */
    ask(): Promise<void> {
      isAsked = true;
      underWay ??= run();
      return underWay;
    },

    /** Null if no turn is in progress. */
    underWay: (): Promise<void> | null => underWay,
  };
}
