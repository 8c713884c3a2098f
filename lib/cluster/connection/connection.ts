import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, ProxyAgent } from "undici";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { connectionPool } from "./connection-pool.ts";
import { type Credentials, credentialsId, ownCredentials, tokenExpiry } from "./credentials.ts";
import { type KubeContexts, readBearerContext, readKubeContexts } from "./kubeconfig.ts";

/** One context with one set of credentials: the key of every client and cache. It never changes; new credentials make a new one. */
export interface Connection {
  /** The context's name. */
  readonly name: string;
  /** `https://host:port`, with a path where the kubeconfig has one. */
  readonly server: string;
  /** The context and whose credentials these are, whichever way they were renewed: the key of what a process keeps for its users. */
  readonly audience: string;
  /** Shared by everything that talks to this API server with these credentials. */
  readonly dispatcher: Dispatcher;
  /** Whether a refusal of the credentials may pass: a person's token is never followed by another one. */
  readonly renewable: boolean;
  /** When a person's token says that it ends, in ms since the epoch; null where it does not say, and for what is renewed. */
  readonly expiresAt: number | null;
  /** A dispatcher that opens connections of its own, for asking several API servers behind one address. Close it after use. */
  openDispatcher(): Dispatcher;
  /** The headers that sign a request in. Renewed when an exec plugin's or a file's token may have been. */
  authHeaders(options?: { renew: boolean }): Promise<Record<string, string>>;
  /** Closes what is open once no request is under way. */
  close(): Promise<void>;
  /** For one whose credentials the cluster refuses: the next connect makes another. Whoever has it, such as a run, still gets answers. */
  discard(): void;
}

/** Bounds the sockets to one API server: watches hold one each, a rewrite at most 24. */
const MAX_CONNECTIONS = 40;
/** Each has a pool of sockets and, while they look, a watch and a cache. */
const MOST_PEOPLE = 200;
const SIGN_IN_TIMEOUT_MS = 60_000;
const AUTH_HEADERS_FRESH_MS = 60_000;

/** The contexts that somebody with these credentials can be connected to. Throws AppError invalid_input as readKubeContexts does. */
export function contextsFor(credentials: Credentials): KubeContexts {
  return credentials.kind === "own" ? readKubeContexts() : readBearerContext(credentials.token);
}

/**
 * The connection to a context, with this process's own credentials unless told otherwise.
 * @throws AppError not_found for a name that no kubeconfig has, invalid_input for one that can't be used.
 */
export async function connect(name: string, credentials: Credentials = ownCredentials): Promise<Connection> {
  const { contexts, unusable } = contextsFor(credentials);
  const config = contexts.get(name);
  if (!config) {
    throw new AppError("not_found", `There is no cluster ${name}.`, {
      nextStep: "GET /api/clusters lists the contexts of the kubeconfig.",
    });
  }
  const reason = unusable.get(name);
  if (reason) throw new AppError("invalid_input", `The context ${name} can't be used. ${reason}`);
  const pool = processWide("connections", () => connectionPool<Connection>());
  const key = connectionKey(name, config);
  const audience = `${name}\n${credentialsId(credentials)}`;
  const known = pool.get(key);
  if (known) return known;
  if (credentials.kind === "bearer" && pool.size() >= MOST_PEOPLE) {
    throw new AppError("too_many_requests", `${MOST_PEOPLE} people are signed in here.`, { nextStep: "Try again in ten minutes." });
  }
  const onDiscard = () => pool.remove(key);
  return pool.add(key, (onUse) => open({ name, audience, credentials, config, onUse, onDiscard }));
}

/** What a connection is known by: the context's name and all that it signs in with, certificates renewed on disk included. */
export function connectionKey(name: string, config: KubeConfig): string {
  const hash = createHash("sha256").update(config.exportConfig());
  const { certFile, keyFile } = config.getCurrentUser() ?? {};
  for (const file of [config.getCurrentCluster()?.caFile, certFile, keyFile]) {
    if (file && existsSync(/* turbopackIgnore: true */ file)) hash.update(readFileSync(/* turbopackIgnore: true */ file));
  }
  return `${name}\n${hash.digest("hex")}`;
}

interface Opening {
  name: string;
  audience: string;
  credentials: Credentials;
  config: KubeConfig;
  onUse: () => void;
  onDiscard: () => void;
}

async function open({ name, audience, credentials, config, onUse, onDiscard }: Opening): Promise<Connection> {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new AppError("invalid_input", `The context ${name} has no cluster.`, { nextStep: "Correct the kubeconfig." });
  const tls = await signIn(name, config);
  const openDispatcher = () => createDispatcher(config, tls);
  let headers = { value: tls.headers, readAt: Date.now() };
  const dispatcher = openDispatcher();
  return {
    ...{ name, audience, renewable: credentials.kind === "own" },
    expiresAt: credentials.kind === "bearer" ? tokenExpiry(credentials.token) : null,
    server: cluster.server.replace(/\/+$/, ""),
    dispatcher,
    close: () => dispatcher.close(),
    discard: onDiscard,
    openDispatcher,
    async authHeaders(options = { renew: false }) {
      onUse();
      if (options.renew || Date.now() - headers.readAt > AUTH_HEADERS_FRESH_MS) {
        headers = { value: (await signIn(name, config)).headers, readAt: Date.now() };
      }
      return headers.value;
    },
  };
}

interface SignIn {
  tls: {
    ca?: RequestOptions["ca"];
    cert?: RequestOptions["cert"];
    key?: RequestOptions["key"];
    servername?: string;
    rejectUnauthorized?: boolean;
  };
  headers: Record<string, string>;
}

async function signIn(name: string, config: KubeConfig): Promise<SignIn> {
  const options: RequestOptions = {};
  let fileToken: string | null = null;
  try {
    fileToken = tokenInFile(config);
    // An exec plugin may wait for a person.
    await untilAborted(config.applyToHTTPSOptions(options), AbortSignal.timeout(SIGN_IN_TIMEOUT_MS));
  } catch (error) {
    throw new AppError("unauthenticated", `The credentials of the context ${name} can't be used.`, {
      clusterMessage: errorMessage(error),
      nextStep: "Sign in again with your provider's command line, then retry; `kubectl get ns` with the same context must work.",
      cause: error,
    });
  }
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(options.headers ?? {})) headers[header.toLowerCase()] = String(value);
  if (fileToken) headers.authorization = `Bearer ${fileToken}`;
  if (options.auth) headers.authorization = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  return {
    tls: {
      ...(ca && { ca }),
      ...(cert && { cert }),
      ...(key && { key }),
      ...(servername && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    headers,
  };
}

// client-node keeps a file's token for a minute, also one that has just been refused, and its line break.
function tokenInFile(config: KubeConfig): string | null {
  const file: unknown = config.getCurrentUser()?.authProvider?.config?.tokenFile;
  return typeof file === "string" ? readFileSync(file, "utf8").trim() : null;
}

function createDispatcher(config: KubeConfig, { tls }: SignIn): Dispatcher {
  const proxy = config.getCurrentCluster()?.proxyUrl;
  // One HTTP/2 connection for everything was slower when measured, and a watch would share it with a rewrite.
  const limits = { connections: MAX_CONNECTIONS, pipelining: 1, allowH2: false };
  if (!proxy) return new Agent({ ...limits, connect: { ...tls, timeout: 10_000 } });
  if (proxy.startsWith("http")) return new ProxyAgent({ ...limits, uri: proxy, requestTls: tls });
  throw new AppError("invalid_input", `proxy-url ${proxy} is not supported.`, { nextStep: "Use an http or https proxy." });
}
