/** One thing that an appliance or a cluster needs, and how it is. */
export interface Finding {
  check: string;
  state: "ok" | "wrong" | "unknown";
  found: string;
  /** The remedy; empty if it is well. */
  advice: string;
}

const as =
  (state: Finding["state"]) =>
  (check: string, found: string, advice = ""): Finding => ({ check, state, found, advice });

export const ok = (check: string, found: string): Finding => as("ok")(check, found);
export const wrong = as("wrong");
export const unknown = as("unknown");
/** @param fault what to do if it is not well; null if it is */
export const judged = (check: string, found: string, fault: string | null): Finding =>
  fault === null ? ok(check, found) : wrong(check, found, fault);
