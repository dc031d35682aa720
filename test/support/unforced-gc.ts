/**
 * Elysia asks for a collection of all garbage when an application first answers: a third of what one costs that is
 * made for a test. Here a collection is done only where it is waited for, as by tests of memory.
 */
const { gc } = Bun;
Bun.gc = (isWaitedFor) => (isWaitedFor ? gc(true) : 0);
