import { expect, test } from "bun:test";
import { WRITTEN_ADDRESS } from "../../../../src/doors/http/docs/guide-html.ts";
import { servedDocument } from "../../../../src/doors/http/server.ts";

test("the document is generated once, and its bytes are cached for the latest address", async () => {
  const made: string[] = [];
  const serve = servedDocument(async (path) => {
    made.push(path);
    return `{"example":"${WRITTEN_ADDRESS}/v1/"}`;
  });
  const first = await serve("https://api.example.com/kanalog");
  expect(new TextDecoder().decode(first.plain)).toBe(
    '{"example":"https://api.example.com/kanalog/v1/"}',
  );
  expect(await serve("https://api.example.com/kanalog")).toBe(first);
  const other = await serve("http://[::1]:81");
  expect(new TextDecoder().decode(other.plain)).toBe('{"example":"http://[::1]:81/v1/"}');
  expect(made).toEqual(["/kanalog"]);
});

test("a document that could not be generated is generated at the next request", async () => {
  let tries = 0;
  const serve = servedDocument(async () => {
    tries += 1;
    if (tries === 1) throw new Error("no memory");
    return "{}";
  });
  await expect(serve("http://localhost")).rejects.toThrow("no memory");
  expect(new TextDecoder().decode((await serve("http://localhost")).plain)).toBe("{}");
});
