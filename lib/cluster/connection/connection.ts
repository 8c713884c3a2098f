import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, Pool, ProxyAgent } from "undici";
import { isFresh } from "#lib/async/is-fresh.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { type ConnectionPool, connectionPool } from "./connection-pool.ts";
import { audienceOf, type Credentials, credentialsId, ownCredentials, tokenExpiry } from "./credentials.ts";
import { type KubeContexts, readBearerContext, readKubeContexts } from "./kubeconfig.ts";

/** One context with one set of credentials: the key of every client and cache. It never changes; new credentials need a new one. */
export interface Connection {
  /** The context's name. */
  readonly name: string;
  /** `https://host:port`, plus the path if the kubeconfig has one. */
  readonly server: string;
  /** The proxy of the kubeconfig that leads there. */
  readonly proxy?: string | undefined;
  /** The kubeconfig's tls-server-name, by which a proxy at the address may choose the cluster. */
  readonly tlsServerName?: string | undefined;
  /** The context and the owner of the credentials, even after a renewal: the key of the data a process keeps for its users. */
  readonly audience: string;
  /** Shared by all requests to this API server with these credentials. */
  readonly dispatcher: Dispatcher;
  /** Whether rejected credentials may work again after a renewal; a person's token can't be renewed. */
  readonly renewable: boolean;
  /** The expiry of a person's token, in ms since the epoch; null if it doesn't say, or if the credentials are renewable. */
  readonly expiresAt: number | null;
  /** A dispatcher that opens new connections, to ask several API servers behind one address. Close it after use. */
  openDispatcher(): Dispatcher;
  /** The one for downloads. */
  downloads(): Dispatcher;
  /** The headers that authenticate a request, renewed if an exec plugin or a file may have a new token. */
  authHeaders(options?: { renew: boolean }): Promise<Record<string, string>>;
  /**
   * For a token that the cluster has accepted as this person's, or without saying whose it is (null): until then a connection is kept only
   * as long as there is room.
   * @throws AppError too_many_requests if too many others are using crdshift, or too many of the person's tokens are new.
   */
  keepFor(person: string | null): void;
  /** Someone still works with it, such as a reader of events, although it sends nothing at the moment. */
  touch(): void;
  /** Who takes turns with others: all tokens of one person together, once the cluster has said whose they are. */
  person(): string;
  /** The person's name in the cluster; null until it has said whose token it is, and for this process's own credentials. */
  userName(): string | null;
  /**
   * Other tokens of the same person, someone else while nobody used it, or made-up tokens before the cluster accepted this one, took its
   * place: the next request opens a new connection, and nothing is kept for this one.
   */
  pushOut(): void;
  letBackIn(): void;
  isPushedOut(): boolean;
  /** Closes the open sockets once no request is in flight. */
  close(): Promise<void>;
  /** For rejected credentials: the next connect makes a new connection. Those who hold this one, such as a run, can still use it. */
  discard(): void;
}

/**
 * The most sockets to one API server: each watch holds one, a rewrite at most 24. Readers who share this process's credentials may hold 96
 * (signed-in-route.ts, json-lines.ts), and must leave some to crdshift.
 */
const MAX_CONNECTIONS = { own: 160, bearer: 40 };
/** What is read as slowly as its reader likes holds none of those that everything else needs. */
const MAX_DOWNLOADS = 16;
const SIGN_IN_TIMEOUT_MS = 60_000;
const AUTH_HEADERS_FRESH_MS = 60_000;
/** While the cluster refuses what an exec plugin answers. */
const RUN_PLUGIN_EVERY_MS = 10_000;
const CONNECT_TIMEOUT_MS = 10_000;

/** The contexts that these credentials can connect to. Throws AppError invalid_input like readKubeContexts. */
export function contextsFor(credentials: Credentials): KubeContexts {
  return credentials.kind === "own" ? readKubeContexts() : readBearerContext(credentials.token);
}

/**
 * The connection to a context, by default with this process's own credentials.
 * @throws AppError not_found if no kubeconfig has the context, invalid_input if it can't be used.
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
  const pool = connections();
  const key = connectionKey(name, config);
  const audience = audienceOf(name, credentialsId(credentials));
  const known = pool.get(key);
  if (known) return known;
  const onDiscard = () => pool.remove(key);
  const onKeep = (person: string | null, connection: Connection) => {
    if (credentials.kind === "bearer") pool.keep(key, person, connection);
  };
  const whose = credentials.kind === "own" ? "process" : "unconfirmed";
  return pool.add(key, whose, (onUse) => open({ name, audience, credentials, config, onUse, onDiscard, onKeep }));
}

function connections(): ConnectionPool<Connection> {
  return processWide("connections", () => connectionPool<Connection>());
}

/** Whether this process has a connection to the context with these credentials. */
export function isOpen(name: string, config: KubeConfig): boolean {
  return connections().has(connectionKey(name, config));
}

/** A connection's key: the context's name and all its credentials, including certificates renewed on disk. */
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
  onKeep: (person: string | null, connection: Connection) => void;
}

async function open({ name, audience, credentials, config, onUse, onDiscard, onKeep }: Opening): Promise<Connection> {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new AppError("invalid_input", `The context ${name} has no cluster.`, { nextStep: "Fix the kubeconfig." });
  // Whoever isn't signed in gets this error, and must not learn the proxy's address and password.
  if (cluster.proxyUrl && !isProxy(cluster.proxyUrl)) {
    throw new AppError("invalid_input", `The proxy-url of the context ${name} isn't the URL of an http or https proxy.`, {
      nextStep: "Fix the kubeconfig.",
    });
  }
  const tls = await signIn(name, config);
  const openDispatcher = () => createDispatcher(config, tls, MAX_CONNECTIONS[credentials.kind]);
  let downloads: Dispatcher | null = null;
  let headers = { value: tls.headers, readAt: Date.now() };
  let renewing: Promise<void> | null = null;
  let signedIn = config;
  let triedAt = Number.NEGATIVE_INFINITY;
  const renew = async (isRefused: boolean) => {
    // client-node keeps what an exec plugin has answered until that says it has expired; another KubeConfig runs the plugin again.
    const isDue = isRefused && performance.now() - triedAt > RUN_PLUGIN_EVERY_MS;
    if (isDue) triedAt = performance.now();
    const trying = isDue ? copyOf(config) : signedIn;
    headers = { value: (await signIn(name, trying)).headers, readAt: Date.now() };
    signedIn = trying;
  };
  // An exec plugin may ask a person, and all who wait take what it answers.
  const renewOnce = (isRefused: boolean) => {
    renewing ??= renew(isRefused).finally(() => {
      renewing = null;
    });
    return renewing;
  };
  const dispatcher = openDispatcher();
  let isPushedOut = false;
  let userName: string | null = null;
  const connection: Connection = {
    ...{ name, audience, renewable: credentials.kind === "own" },
    expiresAt: credentials.kind === "bearer" ? tokenExpiry(credentials.token) : null,
    server: cluster.server.replace(/\/+$/, ""),
    proxy: cluster.proxyUrl || undefined,
    tlsServerName: cluster.tlsServerName || undefined,
    dispatcher,
    downloads() {
      downloads ??= createDispatcher(config, tls, MAX_DOWNLOADS);
      return downloads;
    },
    close: async () => void (await Promise.all([dispatcher.close(), downloads?.close()])),
    pushOut: () => {
      isPushedOut = true;
    },
    letBackIn: () => {
      isPushedOut = false;
    },
    isPushedOut: () => isPushedOut,
    discard: onDiscard,
    touch: onUse,
    keepFor(person) {
      // While the cluster doesn't say, the token stands for them.
      if (person !== null) userName = person;
      onKeep(person, connection);
    },
    person: () => (userName === null ? audience : `user ${userName}`),
    userName: () => userName,
    openDispatcher,
    async authHeaders(options = { renew: false }) {
      onUse();
      if (options.renew || !isFresh(headers.readAt, AUTH_HEADERS_FRESH_MS)) await renewOnce(options.renew);
      return headers.value;
    },
  };
  return connection;
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
    // An exec plugin may wait for user input.
    await untilAborted(config.applyToHTTPSOptions(options), AbortSignal.timeout(SIGN_IN_TIMEOUT_MS));
  } catch (error) {
    throw new AppError("unauthenticated", `The credentials for the context ${name} can't be used.`, {
      clusterMessage: errorMessage(error),
      nextStep: "Sign in again with your provider's CLI, then retry; `kubectl get ns` with the same context must work.",
      cause: error,
    });
  }
  const { ca, cert, key, servername, rejectUnauthorized } = options;
  const headers: Record<string, string> = {};
  for (const [header, value] of Object.entries(options.headers ?? {})) headers[header.toLowerCase()] = String(value);
  if (fileToken !== null) headers.authorization = `Bearer ${fileToken}`;
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

// client-node caches a file's token for a minute, even one that was just rejected, and keeps its line break.
function tokenInFile(config: KubeConfig): string | null {
  const file: unknown = config.getCurrentUser()?.authProvider?.config?.tokenFile;
  if (typeof file !== "string") return null;
  const token = readFileSync(file, "utf8").trim();
  // A file is often emptied before its new token is written.
  if (!token) throw new Error(`The token file ${file} is empty.`);
  return token;
}

function isProxy(proxyUrl: string): boolean {
  const url = URL.parse(proxyUrl);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  try {
    // As undici does, which fails for a % that begins no escape.
    decodeURIComponent(url.username);
    decodeURIComponent(url.password);
    return true;
  } catch {
    return false;
  }
}

function copyOf({ clusters, users, contexts, currentContext }: KubeConfig): KubeConfig {
  const copy = new KubeConfig();
  copy.loadFromOptions({ clusters, users, contexts, currentContext });
  return copy;
}

function createDispatcher(config: KubeConfig, { tls }: SignIn, connections: number): Dispatcher {
  const proxy = config.getCurrentCluster()?.proxyUrl;
  // A single HTTP/2 connection measured slower, and a watch would share it with a rewrite.
  const limits = { connections, pipelining: 1, allowH2: false };
  if (!proxy) return new Agent({ ...limits, connect: { ...tls, timeout: CONNECT_TIMEOUT_MS } });
  // Of itself, undici waits five minutes for a proxy's answer to CONNECT.
  const clientFactory = (origin: URL, options: object) => new Pool(origin, { ...options, headersTimeout: CONNECT_TIMEOUT_MS });
  return new ProxyAgent({ ...limits, uri: proxy, requestTls: tls, clientFactory });
}
