import type { Connection } from "#lib/cluster/connection/connection.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import { clusterAnswer } from "./cluster-answer.ts";
import { isAdmissionDenial } from "./refused-writes.ts";

interface Request {
  method?: string;
  path: string;
}

/** What requests over a connection have shown so far. */
interface Seen {
  /** The kinds of requests that were answered. */
  granted: Set<string>;
  /** When the API server last couldn't be reached, by performance.now(). */
  unreachableAt: number;
}

/** An API server knows its roles within seconds of its start; while it is down, half a minute may pass between two requests. */
const KNOWS_ROLES_WITHIN_MS = 60_000;

/** By connection: another person may have other rights. */
const seenOver = new WeakMap<Connection, Seen>();

/** Notes that a request was answered, so it is granted. */
export function noteGranted(connection: Connection, request: Request): void {
  seen(connection).granted.add(kindOf(request));
}

/**
 * Notes on the error of a request whether it may be temporary: an API server that has just started denies what it granted before, until it
 * knows its roles. So may a denial within a minute after the API server, or what stands in front of it, couldn't be reached. Returns the
 * error.
 */
export function noteEarlyDenial<Thrown>(connection: Connection, request: Request, error: Thrown): Thrown {
  const answer = clusterAnswer(error);
  if (isUnreachable(error)) seen(connection).unreachableAt = performance.now();
  else if (answer?.status === 403 && !isAdmissionDenial(answer)) {
    const { granted, unreachableAt } = seen(connection);
    answer.isEarlyDenial = granted.has(kindOf(request)) && performance.now() - unreachableAt < KNOWS_ROLES_WITHIN_MS;
  }
  return error;
}

// A 429 comes from an API server that is up.
function isUnreachable(error: unknown): boolean {
  return isAppError(error) && error.code === "cluster_unreachable" && clusterAnswer(error)?.status !== 429;
}

function seen(connection: Connection): Seen {
  const known = seenOver.get(connection) ?? { granted: new Set(), unreachableAt: Number.NEGATIVE_INFINITY };
  seenOver.set(connection, known);
  return known;
}

const RESOURCE =
  /^\/(?<group>api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/[^/]+(?=\/))?\/(?<resource>[^/]+)(?:\/[^/]+(?<subresource>\/[^/]+)?)?$/;

/** A request's method and resource: what roles usually grant as one. */
function kindOf({ method = "GET", path }: Request): string {
  const pathname = path.split("?")[0] ?? "";
  const { group, resource, subresource = "" } = RESOURCE.exec(pathname)?.groups ?? {};
  return group && resource ? `${method} ${group}/${resource}${subresource}` : `${method} ${pathname}`;
}
