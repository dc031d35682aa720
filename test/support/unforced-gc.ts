/**
 * Elysia forces a garbage collection at an application's first answer, which is a third of the cost of an
 * application in a test. Here only a collection that is awaited is done, as in tests of memory.
 */
const { gc } = Bun;
Bun.gc = (isWaitedFor) => (isWaitedFor ? gc(true) : 0);
