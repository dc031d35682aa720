import { expect, test } from "bun:test";
import { answerOf } from "../../../src/app/workers/crew.ts";

test("a worker that fails to answer another one's question, at once or later, sends no answer", async () => {
  const fails = (): never => {
    throw new Error("broken");
  };
  const question = { name: "findUpload", argument: "token" } as const;
  expect(await answerOf({ findUpload: fails }, question)).toBeNull();
  expect(await answerOf({ findUpload: async () => fails() }, question)).toBeNull();
  expect(await answerOf({}, question)).toBeNull();
  expect(await answerOf(null, question)).toBeNull();
  const errors = { name: "errors", argument: null } as const;
  expect(await answerOf({ errors: () => [] }, errors)).toEqual([]);
});
