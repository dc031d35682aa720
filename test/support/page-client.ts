import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/**
 * A page that is an MCP client, as the protocol's Inspector is: bundled for a browser by its test, it keeps
 * what it stores in the window's session and tells in the title what it has reached.
 */

declare const document: { title: string };
declare const location: URL & { assign(to: string): void };
declare const sessionStorage: {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
};

const read = (name: string) => {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : JSON.parse(text);
};
const store = (name: string) => (value: unknown) =>
  sessionStorage.setItem(name, JSON.stringify(value));

const redirectUrl = `${location.origin}/callback`;
const provider = {
  redirectUrl,
  clientMetadata: { client_name: "Page", redirect_uris: [redirectUrl] },
  clientInformation: () => read("client"),
  saveClientInformation: store("client"),
  tokens: () => read("tokens"),
  saveTokens: store("tokens"),
  redirectToAuthorization: (to: URL) => location.assign(to.href),
  saveCodeVerifier: store("verifier"),
  codeVerifier: () => read("verifier"),
  saveDiscoveryState: store("discovery"),
  discoveryState: () => read("discovery"),
};

const { searchParams } = location.href.includes("?")
  ? new URL(location.href)
  : new URL("http://x/");
const server = searchParams.get("server") ?? read("server");
const key = searchParams.get("key");
store("server")(server);
const transport = () =>
  new StreamableHTTPClientTransport(
    new URL(server),
    key === null
      ? { authProvider: provider as never }
      : { requestInit: { headers: { authorization: `Bearer ${key}` } } },
  );

try {
  if (location.pathname === "/callback") await transport().finishAuth(searchParams);
  const client = new Client(
    { name: "page", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(transport());
  const { tools } = await client.listTools();
  await client.callTool({ name: "msgr_categories_list", arguments: {} });
  document.title = `${client.getProtocolEra()}: ${tools.length} tools`;
} catch (error) {
  document.title = String(error);
}
