/** Work that is done again until nobody has asked for it meanwhile: calls that come during a turn share the next. */
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
    /** Settles once the work is done that was asked for, and rejects as it does. */
    ask(): Promise<void> {
      isAsked = true;
      underWay ??= run();
      return underWay;
    },

    /** Null where none is under way. */
    underWay: (): Promise<void> | null => underWay,
  };
}
