import { type AppError, storageUnavailable } from "../errors.ts";

/**
 * Advice for the operator by error code of PostgreSQL or the system, or by the driver's message if it has
 * no code.
 */
const ADVICE: readonly [codes: RegExp, advice: string][] = [
  [/^ECONNREFUSED$/, "see that it runs there, and listens at this address"],
  [/^(ENOTFOUND|EAI_AGAIN)$/, "see that the host's name is right"],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timeout expired)$/, "see that this machine may reach it"],
  [/^28/, "see that user and password are right, and that pg_hba.conf lets them in"],
  [/^3D000$/, "make it, or name another one"],
  [/^42501$/, "give the user the right: GRANT CREATE ON DATABASE, or that on schema kanalog"],
  [
    /^(42P01|42883|3F000)$/,
    "a part of the cluster is missing there: where it stays so, restore it from its backup",
  ],
  [/^53100$/, "free some room on its disk"],
  [/^53300$/, "raise its max_connections: a node takes up to a dozen"],
];

/**
 * An `unavailable` error with PostgreSQL's own message as its cause, and advice for the operator if there
 * is any.
 */
export function refusedBy(error: unknown): AppError {
  const { message, code, stack } = error as Error & { code?: unknown };
  const [, advice] = ADVICE.find(([codes]) => codes.test(String(code ?? message))) ?? [];
  if (advice === undefined) return storageUnavailable(error);
  // A single error without a nested cause, whose message would be logged twice.
  return storageUnavailable(Object.assign(new Error(`${message} (${advice})`), { code, stack }));
}
