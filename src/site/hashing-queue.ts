import { AppError } from "../errors.ts";
import type { SitePeople } from "./site-context.ts";

/** Passwords that may wait for the thread that hashes: some seconds' worth. */
const WAITING_MAX = 20;
const RETRY_AFTER_S = 5;

/** People's operations, of which those that hash a password are refused where too many wait. */
export function limitHashing(people: SitePeople): SitePeople {
  let waiting = 0;
  const limited =
    <Given extends unknown[], Result>(operation: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      if (waiting >= WAITING_MAX) {
        const detail = "Too many people are signing in. Try again in a few seconds.";
        throw new AppError("unavailable", detail, { retryAfterS: RETRY_AFTER_S });
      }
      waiting += 1;
      try {
        return await operation(...given);
      } finally {
        waiting -= 1;
      }
    };
  return {
    ...people,
    signIn: limited(people.signIn),
    choosePassword: limited(people.choosePassword),
    changePassword: limited(people.changePassword),
  };
}
