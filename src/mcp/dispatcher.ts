import type { AppError } from "../errors.ts";
import type { Outcome, RawArguments } from "../methods/call.ts";
import type { ApiMethod } from "../methods/method.ts";
import { STATUS_OF } from "../methods/statuses.ts";
import {
  faultText,
  invalidParams,
  isObject,
  METHOD_NOT_FOUND,
  type RequestId,
  type RpcFault,
  type RpcRequest,
  readMessage,
  resultText,
} from "./json-rpc.ts";
import { describeTool } from "./tools.ts";

/** The revisions served, newest first: one without a handshake, and those with `initialize`. */
export const MODERN_VERSION = "2026-07-28";
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
const SUPPORTED: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS];

const UNSUPPORTED_VERSION = -32022;
const HEADER_MISMATCH = -32020;
const META = "io.modelcontextprotocol/";
/** How long a client may take the list of tools for the present one. */
const LIST_TTL_MS = 5 * 60 * 1000;

const INSTRUCTIONS =
  "Data about a messenger's channels. To answer about a channel that a person names, find it with " +
  "msgr_channels_resolve_retrieve (link or @handle) or msgr_channels_list (`q`, a part of the " +
  "title), then take its number to msgr_channels_retrieve (card), msgr_stats_daily_list (growth " +
  "by day, up to 100 channels at once; for this month give `from` as its first day) or " +
  "msgr_channels_posts_retrieve (posts). For the biggest or best channels of a topic take the code " +
  "from msgr_categories_list (free), then msgr_channels_list with `category` and `limit`. Codes " +
  "are Latin and lower case (science, moskva): look them up, do not translate. Lists have pages: " +
  "ask for only as many items as you need with `limit`; where `next` is not null, call the same " +
  "tool with the same arguments and `cursor` set to the text after `cursor=` in `next`, not the " +
  "whole address. Days are Moscow's, YYYY-MM-DD. Most calls cost one request unit, failed ones " +
  "too; me_retrieve says for free how many are left.";

/** One POST, as far as the protocol cares. */
export interface McpPost {
  body: Uint8Array;
  header(name: string): string | null;
  /** Set where the plan's rate was exceeded: nothing is run then. */
  refusal: AppError | null;
  call(method: ApiMethod, raw: RawArguments): Promise<Outcome>;
}

export type McpAnswer = {
  /** 429 where the rate refuses what is no call of a tool; the door words it. */
  status: number;
  /** Null where there is none. */
  body: string | null;
  /** What the call of a tool came to; null where none was called. */
  outcome: Outcome | null;
  /** The tool whose call the rate refused. */
  refused?: string | null;
};

export type McpDispatcher = (post: McpPost) => Promise<McpAnswer>;

/**
 * The MCP server: request in, answer out (specification, section 4; its error table, section 7).
 * @param methods those that are tools, in the order in which they are listed
 */
export function createDispatcher(methods: readonly ApiMethod[], version: string): McpDispatcher {
  const tools = new Map(methods.map((method) => [method.operationId, method]));
  const toolsText = JSON.stringify([...tools.values()].map(describeTool));
  const serverInfo = { name: "kanalog", title: "Kanalog: Channel Data API", version };
  const capabilities = { tools: { listChanged: false } };
  const about = JSON.stringify({ [`${META}serverInfo`]: serverInfo });

  return async (post) => {
    const message = readMessage(post.body);
    const isToolCall = message.kind === "request" && message.request.method === "tools/call";
    if (post.refusal !== null && !isToolCall) return { status: 429, body: null, outcome: null };
    const version = post.header("mcp-protocol-version");
    if (message.kind === "fault") return answerFault(message.id, message.fault);
    if (version !== null && !SUPPORTED.includes(version)) {
      const id = message.kind === "request" ? message.request.id : null;
      return answerFault(id, unsupportedVersion(version));
    }
    if (message.kind === "unanswered") return { status: 202, body: null, outcome: null };
    const { request } = message;
    return version === MODERN_VERSION ? answerModern(request, post) : answerLegacy(request, post);
  };

  async function answerLegacy(request: RpcRequest, post: McpPost): Promise<McpAnswer> {
    const { id, method, params } = request;
    switch (method) {
      case "initialize":
        if (params === undefined) return answerFault(id, invalidParams("`params` are missing."));
        return answerResult(id, {
          protocolVersion: agreedVersion(params["protocolVersion"]),
          capabilities,
          serverInfo,
          instructions: INSTRUCTIONS,
        });
      case "ping":
        return answerResult(id, {});
      case "tools/list":
        return params?.["cursor"] === undefined
          ? answerText(id, `{"tools":${toolsText}}`)
          : answerFault(id, invalidParams("`cursor` is not one of this server's."));
      case "tools/call":
        return callTool(request, post, "");
      default:
        return answerFault(id, unknownMethod(method, 200));
    }
  }

  async function answerModern(request: RpcRequest, post: McpPost): Promise<McpAnswer> {
    const { id, method, params } = request;
    const fault = modernFault(request, post);
    if (fault !== null) return answerFault(id, fault);
    const common = `"resultType":"complete","_meta":${about}`;
    const cacheable = `${common},"ttlMs":${LIST_TTL_MS},"cacheScope":"public"`;
    switch (method) {
      case "server/discover": {
        const found = { supportedVersions: SUPPORTED, capabilities, instructions: INSTRUCTIONS };
        return answerText(id, `{${cacheable},${JSON.stringify(found).slice(1)}`);
      }
      case "tools/list":
        return params?.["cursor"] === undefined
          ? answerText(id, `{${cacheable},"tools":${toolsText}}`)
          : answerFault(id, invalidParams("`cursor` is not one of this server's."));
      case "tools/call":
        return callTool(request, post, `${common},`);
      default:
        return answerFault(id, unknownMethod(method, 404));
    }
  }

  /** @param common members that every result of the era has, as JSON text with a comma behind */
  async function callTool(
    { id, params }: RpcRequest,
    post: McpPost,
    common: string,
  ): Promise<McpAnswer> {
    const name = params?.["name"];
    const method = typeof name === "string" ? tools.get(name) : undefined;
    if (post.refusal !== null) {
      const refused = answerText(id, errorResult(common, null, post.refusal));
      return { ...refused, refused: method?.operationId ?? null };
    }
    if (method === undefined) {
      return answerFault(id, invalidParams(`There is no tool ${quoted(name)}.`));
    }
    const given = params?.["arguments"] === undefined ? {} : params["arguments"];
    if (!isObject(given)) return answerFault(id, invalidParams("`arguments` must be an object."));
    const fault = argumentsFault(method, given);
    if (fault !== null) return answerFault(id, invalidParams(fault));
    const outcome = await post.call(method, { ...given });
    const result = outcome.ok
      ? `{${common}"content":[{"type":"text","text":${JSON.stringify(outcome.body)}}],` +
        `"structuredContent":${outcome.body},"isError":false}`
      : errorResult(common, method, outcome.error);
    return { ...answerText(id, result), outcome };
  }
}

/** What is wrong with the envelope of a modern request, or null. */
function modernFault({ method, params }: RpcRequest, post: McpPost): RpcFault | null {
  const meta = params?.["_meta"];
  const version = isObject(meta) ? meta[`${META}protocolVersion`] : undefined;
  if (!isObject(meta) || typeof version !== "string") {
    return { ...invalidParams(`\`params._meta\` must have ${META}protocolVersion.`), status: 400 };
  }
  if (!isObject(meta[`${META}clientCapabilities`])) {
    return {
      ...invalidParams(`\`params._meta\` must have ${META}clientCapabilities.`),
      status: 400,
    };
  }
  if (version !== MODERN_VERSION) return mismatch("MCP-Protocol-Version", version);
  if (post.header("mcp-method") !== method) return mismatch("Mcp-Method", method);
  if (method !== "tools/call") return null;
  const name = params?.["name"];
  const header = post.header("mcp-name");
  return header !== null && decodeHeader(header) === name ? null : mismatch("Mcp-Name", name);
}

/** What is wrong with the arguments of a call before its method looks at them, or null. */
function argumentsFault(
  { parameters, operationId }: ApiMethod,
  given: Record<string, unknown>,
): string | null {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(parameters, name)) {
      const known = Object.keys(parameters).join(", ") || "none";
      return `${operationId} has no argument ${quoted(name)}; it takes: ${known}.`;
    }
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    if (parameter.required && !Object.hasOwn(given, name)) {
      return `${operationId} needs the argument ${JSON.stringify(name)}.`;
    }
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (parameter.in === "path" && typeof value === "string" && /[/?#]/.test(value)) {
      return `${JSON.stringify(name)} must not contain /, ? or #.`;
    }
  }
  return null;
}

/** The result of a method that failed; without structured content, so that its text is read. */
function errorResult(common: string, method: ApiMethod | null, error: AppError): string {
  const text = `${STATUS_OF[error.code]} ${error.code}: ${detailOf(method, error)}`;
  return `{${common}"content":[{"type":"text","text":${JSON.stringify(text)}}],"isError":true}`;
}

/** One `argument: message` after another; a choice says what it takes. */
function detailOf(method: ApiMethod | null, { fields, detail }: AppError): string {
  if (fields === undefined) return detail;
  return Object.entries(fields)
    .map(([name, messages]) => {
      const options: unknown = method?.parameters[name]?.schema["enum"];
      const allowed = Array.isArray(options) ? ` Allowed: ${options.join(", ")}.` : "";
      return `${name}: ${messages.join(" ")}${allowed}`;
    })
    .join(" ");
}

function answerResult(id: RequestId, result: object): McpAnswer {
  return answerText(id, JSON.stringify(result));
}

function answerText(id: RequestId, result: string): McpAnswer {
  return { status: 200, body: resultText(id, result), outcome: null };
}

function answerFault(id: RequestId | null, fault: RpcFault): McpAnswer {
  return { status: fault.status, body: faultText(id, fault), outcome: null };
}

function agreedVersion(asked: unknown): string {
  return LEGACY_VERSIONS.find((version) => version === asked) ?? LEGACY_VERSIONS[0];
}

function unsupportedVersion(requested: string): RpcFault {
  return {
    code: UNSUPPORTED_VERSION,
    message: "This protocol version is not supported.",
    status: 400,
    data: { supported: SUPPORTED, requested },
  };
}

function unknownMethod(method: string, status: number): RpcFault {
  return {
    code: METHOD_NOT_FOUND,
    message: `There is no method ${quoted(method)}.`,
    status,
  };
}

function mismatch(header: string, expected: unknown): RpcFault {
  return {
    code: HEADER_MISMATCH,
    message: `The header ${header} must be what the body says: ${quoted(expected)}.`,
    status: 400,
  };
}

const QUOTED_MAX = 100;

/** What a caller sent, for a message: it may be anything, of any size. */
function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, QUOTED_MAX)) : "(no text)";
}

/** A header's text, which may be written as `=?base64?…?=`. */
function decodeHeader(value: string): string {
  const encoded = /^=\?base64\?([A-Za-z0-9+/]*=*)\?=$/.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}
