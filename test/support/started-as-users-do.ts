// Programs started by tests have all compilers, as users' programs do: `bun-test.ts` disables one for tests
// only.
delete process.env["BUN_JSC_useFTLJIT"];
