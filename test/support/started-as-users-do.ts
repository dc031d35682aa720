// Programs that tests start have all compilers, as users' have: `run.ts` leaves one out for tests alone.
delete process.env["BUN_JSC_useFTLJIT"];
