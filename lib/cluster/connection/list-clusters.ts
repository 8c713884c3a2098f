import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { sleep } from "#lib/async/sleep.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { Cluster } from "#lib/contract/cluster.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { connect, connectionKey, contextsFor, isOpen } from "./connect.ts";
import type { Credentials } from "./credentials.ts";
import { oldestBeyond } from "./oldest-beyond.ts";

type Reach = Pick<Cluster, "reachable" | "failure" | "message" | "version">;

const FRESH_MS = 30_000;
const PATIENCE_MS = 3_000;
const CONCURRENCY = 8;
const MAX_KNOWN = 1_000;
const UNTRIED: Reach = { reachable: null, failure: null, message: null, version: null };

/**
 * Every context that these credentials give access to, and whether its API server answers. Takes at most three seconds: a cluster
 * that hasn't answered by then is `null` now, and known on the next call. So is a context whose sign-in runs a command, until somebody
 * opens it. Answers are kept for half a minute.
 */
export async function listClusters(
  credentials: Credentials,
  { readOnly, signal }: { readOnly: boolean; signal: AbortSignal },
): Promise<Cluster[]> {
  const { current, contexts } = contextsFor(credentials);
  const known = processWide("reach", () => new Map<string, Reach & { at: number }>());
  const listed = [...contexts].map(([name, config]) => ({
    name,
    key: connectionKey(name, config),
    server: config.getCurrentCluster()?.server ?? "",
    mayAsk: name === current || !config.getCurrentUser()?.exec || isOpen(name, config),
  }));
  const due = listed.filter(({ key, mayAsk }) => mayAsk && Date.now() - (known.get(key)?.at ?? 0) > FRESH_MS);
  // The default first: most people wait for it.
  due.sort((a, b) => Number(b.name === current) - Number(a.name === current));
  const asking = forEachConcurrently(due, { concurrency: CONCURRENCY, signal: AbortSignal.timeout(60_000) }, async ({ name, key }) => {
    known.set(key, { ...(await reach(name, credentials)), at: Date.now() });
  });
  for (const key of oldestBeyond(known, MAX_KNOWN)) known.delete(key);
  const answered = new AbortController();
  const patience = sleep(PATIENCE_MS, AbortSignal.any([signal, answered.signal]));
  patience.catch(() => {});
  await Promise.race([asking, patience]).finally(() => answered.abort());
  return listed.map(({ name, key, server }) => {
    const { reachable, failure, message, version } = known.get(key) ?? UNTRIED;
    return { name, server, current: name === current, readOnly, reachable, failure, message, version };
  });
}

async function reach(name: string, credentials: Credentials): Promise<Reach> {
  try {
    const version = await readServerVersion(await connect(name, credentials), AbortSignal.timeout(10_000));
    return { reachable: true, failure: null, message: null, version };
  } catch (error) {
    const message = isAppError(error)
      ? [error.message, error.clusterMessage, error.nextStep].filter(Boolean).join(" ")
      : errorMessage(error);
    return { reachable: false, failure: failureOf(error), message, version: null };
  }
}

function failureOf(error: unknown): Cluster["failure"] {
  const code = isAppError(error) ? error.code : null;
  if (code === "unauthenticated") return "credentials-refused";
  if (code === "forbidden") return "forbidden";
  return code === "invalid_input" ? "unusable" : "unreachable";
}
