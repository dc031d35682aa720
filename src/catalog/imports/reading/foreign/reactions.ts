import { isObject } from "../../../../values/json-object.ts";

/** Sum of a post's reactions, from a list with a `count` each; undefined if unknown. */
export function sumOfCounts(reactions: unknown): number | undefined {
  if (!Array.isArray(reactions)) return undefined;
  let sum = 0;
  for (const one of reactions) {
    if (!isObject(one) || typeof one["count"] !== "number") return undefined;
    sum += one["count"];
  }
  return sum;
}
