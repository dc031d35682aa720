import {
  countSchema,
  daySchema,
  integerSchema,
  objectSchema,
  textSchema,
  type ValueOf,
} from "../../values/schema.ts";

/** A day's usage by method and key, as the API returns it. */
export const usageSchema = objectSchema(
  {
    day: daySchema("Moscow day"),
    method: textSchema({ description: "Operation id", examples: ["msgr_channels_list"] }),
    key: integerSchema({ description: "Number of the key" }),
    requests: countSchema("Requests with a good key"),
    units: countSchema("Units they cost"),
    errors: countSchema("Requests answered with a status of 400 or more"),
  },
  "Usage",
);

export type UsageView = ValueOf<typeof usageSchema>;

/** Requests, their units, and those answered with status 400 or above. */
export type UsageSum = Pick<UsageView, "requests" | "units" | "errors">;
export type UsageOfMethod = Omit<UsageView, "key">;
export type UsageOfKey = Omit<UsageView, "day" | "method">;

/** Bounded, however many keys there are. */
export interface UsageSummary {
  days: UsageOfMethod[];
  keys: UsageOfKey[];
  keysUsed: number;
}
