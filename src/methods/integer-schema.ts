import { t } from "elysia";

/** A whole number. Elysia's own `t.Integer` would take a text of digits too, and say so. */
export function integerSchema(options: {
  description?: string;
  minimum?: number;
  maximum?: number;
  default?: number;
  examples?: number[];
}) {
  return t.Unsafe<number>({ type: "integer", ...options });
}
