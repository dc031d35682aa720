import { expect, test } from "bun:test";
import { answerOf } from "../../../src/app/workers/crew.ts";

test("a question that fails, at once or later, is answered with nothing", async () => {
  const fails = (): never => {
    throw new Error("broken");
  };
  const asked = { name: "findUpload", asked: "token" } as const;
  expect(await answerOf({ findUpload: fails }, asked)).toBeNull();
  expect(await answerOf({ findUpload: async () => fails() }, asked)).toBeNull();
  expect(await answerOf({}, asked)).toBeNull();
  expect(await answerOf(null, asked)).toBeNull();
  const errors = { name: "errors", asked: null } as const;
  expect(await answerOf({ errors: () => [] }, errors)).toEqual([]);
});
