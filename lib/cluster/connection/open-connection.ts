import { isDeepStrictEqual } from "node:util";
import { type Cluster, KubeConfig } from "@kubernetes/client-node";
import { isFresh } from "#lib/async/is-fresh.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Connection } from "./connection.ts";
import { connectionKey } from "./connection-key.ts";
import { createDispatcher, isProxy } from "./create-dispatcher.ts";
import { type Credentials, tokenExpiry } from "./credentials.ts";
import { hasSameAddress, isSameCluster } from "./is-same-cluster.ts";
import { readKubeContexts } from "./kubeconfig.ts";
import { type ReplaceableDispatcher, replaceableDispatcher } from "./replaceable-dispatcher.ts";
import { signInShared } from "./sign-in-shared.ts";
import type { SignIn } from "./sign-in-to.ts";
import { isUsable, usableUntil } from "./usable-until.ts";

/**
 * The most sockets to one API server: each watch holds one, a rewrite at most 24. Readers who share this process's credentials may hold 96
 * (signed-in-route.ts, json-lines.ts), and must leave some to crdshift.
 */
const MAX_CONNECTIONS = { own: 160, bearer: 40 };
/** What is read as slowly as its reader likes holds none of those that everything else needs. */
const MAX_DOWNLOADS = 16;
const AUTH_HEADERS_FRESH_MS = 60_000;
/** Whoever ends connections for their certificate gives no answer that says so. */
const CERTIFICATE_FRESH_MS = 5_000;
const EXPIRES_SOON_MS = 60_000;
/** While the cluster refuses what an exec plugin answers. */
const RUN_PLUGIN_EVERY_MS = 10_000;

/** What a connection's next request signs in with. */
interface SignedIn extends SignIn {
  /** connectionKey, of the kubeconfig that said so. */
  key: string;
  config: KubeConfig;
  cluster: Cluster;
}

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
  const first = await signInShared(key, name, config);
  const most = MAX_CONNECTIONS[credentials.kind];
  const renewable = credentials.kind === "own";
  let signedIn: SignedIn = { key, config, cluster, ...first };
  let readAt = Date.now();
  const openFor = (connections: number) => createDispatcher(signedIn.config, signedIn, connections);
  let hasFailed = false;
  const noteFailure = () => {
    hasFailed = true;
  };
  const main = replaceableDispatcher(openFor(most), noteFailure);
  let downloads: ReplaceableDispatcher | null = null;
  let lookedAt = readAt;
  let renewing: Promise<void> | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let isTaken = false;
  let failed = { key: "", at: Number.NEGATIVE_INFINITY };
  const take = (next: SignedIn) => {
    const isOther = !isDeepStrictEqual(next.tls, signedIn.tls);
    signedIn = next;
    readAt = Date.now();
    if (!isOther) return;
    main.replace(openFor(most));
    downloads?.replace(openFor(MAX_DOWNLOADS));
  };
  /** Signs in as the kubeconfig says now; false if it says what it did, leads to another cluster, or can't be used. */
  const takeReplaced = async () => {
    const replaced = contextNow(name);
    if (!replaced || replaced.key === signedIn.key || !hasSameAddress(signedIn.cluster, replaced.cluster)) return false;
    // It may run a plugin.
    if (replaced.key === failed.key && performance.now() - failed.at < RUN_PLUGIN_EVERY_MS) return false;
    failed = { key: replaced.key, at: performance.now() };
    const next = await signInShared(replaced.key, name, replaced.config).catch(() => null);
    if (!next || !isUsable(next.tls) || !isSameCluster(signedIn, { ...replaced, ...next })) return false;
    take({ ...replaced, ...next });
    // Whoever connects as the kubeconfig said before gets a connection of their own.
    if (!isTaken) onDiscard();
    isTaken = true;
    return true;
  };
  /** Some end the handshake for a certificate that they don't accept, and undici can't tell that from any other end. */
  const mayBeRefused = () => {
    const until = usableUntil(signedIn.tls);
    return until !== null && (hasFailed || until - Date.now() < EXPIRES_SOON_MS);
  };
  const renew = async (isRefused: boolean) => {
    const mayBeReplaced = isRefused || mayBeRefused();
    hasFailed = false;
    if (renewable && mayBeReplaced && (await takeReplaced())) return;
    // client-node keeps what an exec plugin has answered until that says it has expired; another KubeConfig runs the plugin again.
    const isDue = isRefused && performance.now() - triedAt > RUN_PLUGIN_EVERY_MS;
    if (isDue) triedAt = performance.now();
    const trying = isDue ? copyOf(signedIn.config) : signedIn.config;
    const { headers, tls } = await signInShared(signedIn.key, name, trying);
    // While two files are being replaced, the certificate and the key don't match.
    const isMatching = renewable && isUsable(tls) && isSameCluster(signedIn, { ...signedIn, tls });
    take({ ...signedIn, config: trying, headers, tls: isMatching ? tls : signedIn.tls });
  };
  // An exec plugin may ask a person, and all who wait take what it answers.
  const renewOnce = (isRefused: boolean) => {
    renewing ??= renew(isRefused).finally(() => {
      renewing = null;
    });
    return renewing;
  };
  let isPushedOut = false;
  let userName: string | null = null;
  const connection: Connection = {
    ...{ name, audience, renewable },
    expiresAt: credentials.kind === "bearer" ? tokenExpiry(credentials.token) : null,
    server: cluster.server.replace(/\/+$/, ""),
    proxy: cluster.proxyUrl || undefined,
    tlsServerName: cluster.tlsServerName || undefined,
    dispatcher: main.dispatcher,
    downloads() {
      downloads ??= replaceableDispatcher(openFor(MAX_DOWNLOADS), noteFailure);
      return downloads.dispatcher;
    },
    close: async () => void (await Promise.all([main.close(), downloads?.close()])),
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
    openDispatcher: () => openFor(most),
    async authHeaders(options = { renew: false }) {
      onUse();
      if (options.renew || !isFresh(readAt, AUTH_HEADERS_FRESH_MS)) await renewOnce(options.renew);
      else if (renewable && signedIn.tls.cert && !isFresh(lookedAt, CERTIFICATE_FRESH_MS)) {
        lookedAt = Date.now();
        // A file may be missing for a moment.
        await renewOnce(false).catch(() => {});
      }
      return signedIn.headers;
    },
  };
  return connection;
}

/** What the kubeconfig says about the context now; null if it can't be used. */
function contextNow(name: string): Pick<SignedIn, "key" | "config" | "cluster"> | null {
  try {
    const { contexts, unusable } = readKubeContexts();
    const config = unusable.has(name) ? undefined : contexts.get(name);
    const cluster = config?.getCurrentCluster();
    return config && cluster ? { key: connectionKey(name, config), config, cluster } : null;
  } catch {
    // It is often written in pieces.
    return null;
  }
}

function copyOf({ clusters, users, contexts, currentContext }: KubeConfig): KubeConfig {
  const copy = new KubeConfig();
  copy.loadFromOptions({ clusters, users, contexts, currentContext });
  return copy;
}
