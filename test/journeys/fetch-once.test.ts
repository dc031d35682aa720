import { expect, test } from "bun:test";
import { fetchOnce } from "../support/fetch-once.ts";

test("a journey's request is sent once, even if its connection is closed without an answer", async () => {
  const requested: string[] = [];
  const server = Bun.listen({
    ...{ hostname: "127.0.0.1", port: 0 },
    socket: {
      data(socket, bytes) {
        const path = bytes.toString().split(" ")[1] ?? "";
        requested.push(path);
        if (path === "/answered") socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        else socket.end();
      },
    },
  });
  try {
    const address = `http://127.0.0.1:${server.port}`;
    expect(await (await fetchOnce(`${address}/answered`)).text()).toBe("ok");
    await expect(fetchOnce(`${address}/dropped`)).rejects.toThrow();
    expect(requested).toEqual(["/answered", "/dropped"]);
  } finally {
    server.stop(true);
  }
});
