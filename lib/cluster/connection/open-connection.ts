import { KubeConfig } from "@kubernetes/client-node";
import type { Dispatcher } from "undici";
import { isFresh } from "#lib/async/is-fresh.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Connection } from "./connection.ts";
import { createDispatcher, isProxy } from "./create-dispatcher.ts";
import { type Credentials, tokenExpiry } from "./credentials.ts";
import { signInShared } from "./sign-in-shared.ts";

/**
 * The most sockets to one API server: each watch holds one, a rewrite at most 24. Readers who share this process's credentials may hold 96
 * (signed-in-route.ts, json-lines.ts), and must leave some to crdshift.
 */
const MAX_CONNECTIONS = { own: 160, bearer: 40 };
/** What is read as slowly as its reader likes holds none of those that everything else needs. */
const MAX_DOWNLOADS = 16;
const AUTH_HEADERS_FRESH_MS = 60_000;
/** While the cluster refuses what an exec plugin answers. */
const RUN_PLUGIN_EVERY_MS = 10_000;

interface Opening {
  /** connectionKey. */
  key: string;
  name: string;
  audience: string;
  credentials: Credentials;
  config: KubeConfig;
  onUse: () => void;
  onDiscard: () => void;
  onKeep: (person: string | null, connection: Connection) => void;
}

/**
 * Signs in to the context, and opens nothing before its first request.
 * @throws AppError invalid_input if it has no cluster or an unusable proxy, unauthenticated if its credentials can't be used.
 */
export async function openConnection({ key, name, audience, credentials, config, onUse, onDiscard, onKeep }: Opening): Promise<Connection> {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new AppError("invalid_input", `The context ${name} has no cluster.`, { nextStep: "Fix the kubeconfig." });
  // Whoever isn't signed in gets this error, and must not learn the proxy's address and password.
  if (cluster.proxyUrl && !isProxy(cluster.proxyUrl)) {
    throw new AppError("invalid_input", `The proxy-url of the context ${name} isn't the URL of an http or https proxy.`, {
      nextStep: "Fix the kubeconfig.",
    });
  }
  const tls = await signInShared(key, name, config);
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
    headers = { value: (await signInShared(key, name, trying)).headers, readAt: Date.now() };
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

function copyOf({ clusters, users, contexts, currentContext }: KubeConfig): KubeConfig {
  const copy = new KubeConfig();
  copy.loadFromOptions({ clusters, users, contexts, currentContext });
  return copy;
}
