import { expect, test } from "bun:test";
import { createFront, type Incoming, type Route } from "../../../src/doors/front/front.ts";
import { takesJson } from "../../../src/values/takes.ts";

const READERS = ["arrayBuffer", "blob", "bytes", "clone", "formData", "json", "text"] as const;

/** Sends a body to a route. @returns the answer, and what its handler threw */
async function sent(route: Partial<Route> & Pick<Route, "answer">, body = "abc") {
  const thrown: unknown[] = [];
  const front = createFront([{ verb: "POST", path: "/", ...route }], {
    isStopping: () => false,
    addresses: { namesOf: () => [], refusal: () => null, charge: () => {} },
    fail(_request, error) {
      thrown.push(error);
      return new Response(null, { status: 500 });
    },
  });
  const request = new Request("http://localhost/", { method: "POST", body });
  return { response: await front.handle(request), thrown };
}

test("a handler cannot read a body past its declaration", async () => {
  for (const name of READERS) {
    const answer = async ({ request }: Incoming) => Response.json(await request[name]());
    const { thrown } = await sent({ takes: takesJson(), answer });
    expect(String(thrown[0])).toContain(`request.${name} is sealed`);
  }
  const answer = ({ request }: Incoming) => new Response(request.body);
  expect(String((await sent({ takes: takesJson(), answer })).thrown[0])).toContain("sealed");
});

test("a route that declares nothing is not even asked, and no other verb hands out a body", async () => {
  let asked = 0;
  const answer = async ({ body }: Incoming) => {
    asked += 1;
    return new Response(await body.bytes());
  };
  const { response, thrown } = await sent({ answer });
  expect(thrown).toMatchObject([{ code: "payload_too_large" }]);
  expect(response.headers.get("connection")).toBe("close");
  expect(asked).toBe(0);
  const ofAll = await sent({ verb: "ALL", answer });
  expect(ofAll.thrown).toMatchObject([{ code: "payload_too_large" }]);
});

test("a body that was read to its end leaves the connection open", async () => {
  const answer = async ({ body }: Incoming) => new Response(await body.bytes());
  const { response } = await sent({ takes: takesJson(3), answer });
  expect(await response.text()).toBe("abc");
  expect(response.headers.get("connection")).toBeNull();
  const larger = await sent({ takes: takesJson(2), answer });
  expect(larger.thrown).toMatchObject([{ code: "payload_too_large" }]);
  expect(larger.response.headers.get("connection")).toBe("close");
});
