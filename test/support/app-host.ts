import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/**
 * A page that shows MCP Apps as hosts do, by the extension's own host package: bundled for a browser by its test,
 * which hands it the page of an app, an answer, and what a host would say about itself.
 */

interface Shown {
  html: string;
  arguments: Record<string, unknown>;
  result: object;
  theme: "light" | "dark";
  locale: string;
  /** What a tool called by the app answers; absent where the host calls none. */
  called?: object;
}

declare const document: {
  body: { append(child: object): void };
  createElement(name: "iframe"): HTMLIFrame;
};
interface HTMLIFrame {
  sandbox: string;
  srcdoc: string;
  width: string;
  height: string;
  contentWindow: object;
}

const seen: { calls: object[]; links: string[]; height: number } = {
  ...{ calls: [], links: [], height: 0 },
};

async function show({ html, arguments: args, result, theme, locale, called }: Shown) {
  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.width = "100%";
  document.body.append(frame);
  const capabilities = { openLinks: {}, ...(called !== undefined && { serverTools: {} }) };
  const bridge = new AppBridge(null, { name: "test", version: "1" }, capabilities, {
    hostContext: { theme, locale },
  });
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  bridge.oninitialized = () => resolve();
  bridge.onsizechange = ({ height = 0 }) => {
    seen.height = height;
    frame.height = String(height);
  };
  bridge.oncalltool = async (params) => {
    seen.calls.push(params);
    return called as never;
  };
  bridge.onopenlink = async ({ url }) => {
    seen.links.push(url);
    return {};
  };
  const window = frame.contentWindow as never;
  await bridge.connect(new PostMessageTransport(window, window));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result as never);
  return bridge;
}

Object.assign(globalThis, { show, seen });
