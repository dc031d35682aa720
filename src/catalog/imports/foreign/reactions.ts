import { isObject } from "../../../values/json-object.ts";

/** All reactions of a post, from a list of them with a `count` each; undefined where nothing tells. */
export function sumOfCounts(reactions: unknown): number | undefined {
  if (!Array.isArray(reactions)) return undefined;
  let sum = 0;
  for (const one of reactions) {
    if (!isObject(one) || typeof one["count"] !== "number") return undefined;
    sum += one["count"];
  }
  return sum;
}
