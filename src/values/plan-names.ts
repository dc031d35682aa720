/** Plan names for people, the same in every sentence of a language; the API uses the code. */
export type PlanNames = Record<"test" | "start" | "growth" | "profi", string>;

/** A function that names a plan by its code; an unknown code is returned as it is. */
export function planNamer(names: PlanNames): (code: string) => string {
  const namesByCode = new Map<string, string>(Object.entries(names));
  return (code) => namesByCode.get(code) ?? code;
}
