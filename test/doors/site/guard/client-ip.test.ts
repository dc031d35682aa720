import { describe, expect, test } from "bun:test";
import { clientIp, networkOf } from "../../../../src/doors/site/guard/client-ip.ts";

const OWN = "198.51.100.9";
const listener = { requestIP: () => ({ address: OWN }) };

function addressBy(forwarded: string, isTrusted = true): string {
  const request = new Request("http://localhost/", { headers: { "x-forwarded-for": forwarded } });
  return clientIp(request, isTrusted, listener);
}

describe("the client's IP", () => {
  test("is the last address of a trusted proxy's header, with or without a port, in any form", () => {
    for (const [forwarded, address] of [
      ["203.0.113.7", "203.0.113.7"],
      ["203.0.113.7:5123", "203.0.113.7"],
      ['"203.0.113.7:5123"', "203.0.113.7"],
      ["10.0.0.1, 203.0.113.7:1", "203.0.113.7"],
      ["203.0.113.1,  203.0.113.7  ", "203.0.113.7"],
      ["2001:db8::1", "2001:db8::1"],
      ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
      ["[2001:db8::1]", "2001:db8::1"],
      ["[2001:db8::1]:443", "2001:db8::1"],
      ['"[2001:db8::1]:443"', "2001:db8::1"],
      ["::ffff:203.0.113.7", "203.0.113.7"],
      ["::ffff:cb00:7107", "203.0.113.7"],
      ["[::ffff:203.0.113.7]:443", "203.0.113.7"],
    ] as const) {
      expect(addressBy(forwarded), forwarded).toBe(address);
    }
  });

  test("is the connection's own if the header has no address or the proxy is not trusted", () => {
    for (const forwarded of [
      ...["", " ", "unknown", "_hidden", "x1", "x2", "1", "0x7f.1", "203.0.113", "203.0.113.256"],
      ...["203.0.113.7:", "203.0.113.7:123456", "203.0.113.7:x", ":443", "[]", "[203.0.113.7"],
      ...["[2001:db8::1]x", "2001:db8::1::2", '"203.0.113.7', "203.0.113.7,", "203.0.113.7, x"],
    ]) {
      expect(addressBy(forwarded), forwarded).toBe(OWN);
    }
    expect(addressBy("203.0.113.7", false)).toBe(OWN);
  });
});

test("attempts are counted by IPv4 address, and by the /64 of IPv6", () => {
  for (const [address, network] of [
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::", "2001:db8:1:3::/64"],
    ["unknown", "unknown"],
  ] as const) {
    expect(networkOf(address)).toBe(network);
  }
});
