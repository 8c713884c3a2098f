/** The counters of one API server. Each only grows until that server restarts. */
export interface RequestCounters {
  /** RFC 3339, like startedAt. */
  asOf: string;
  startedAt: string | null;
  requests: readonly { version: string; verb: string; code: string; subresource: string; requests: number }[];
}

/** The first and latest response of one API server since it started. */
export interface RequestsSeen<Counters extends RequestCounters> {
  first: Counters;
  latest: Counters;
}

/** One address has only a few API servers behind it. */
const MAX_SERVERS = 10;

/**
 * Adds a response to those seen. An API server is identified by its start time; after a restart (a different start time, or a smaller
 * counter), it counts as new.
 */
export function withAnswer<Counters extends RequestCounters>(
  seen: readonly RequestsSeen<Counters>[],
  answer: Counters,
): RequestsSeen<Counters>[] {
  const same = seen.find(({ first, latest }) => first.startedAt === answer.startedAt && !hasShrunk(latest, answer));
  const others = seen.filter(({ first }) => first.startedAt !== answer.startedAt);
  return [...others, { first: same?.first ?? answer, latest: answer }].slice(-MAX_SERVERS);
}

/** Requests added between the first and latest responses, by version; omits versions without any. */
export function requestGrowth(seen: readonly RequestsSeen<RequestCounters>[]): Map<string, number> {
  const growth = new Map<string, number>();
  for (const { first, latest } of seen) {
    const before = requestsByVersion(first);
    for (const [version, requests] of requestsByVersion(latest)) {
      const added = requests - (before.get(version) ?? 0);
      if (added > 0) growth.set(version, (growth.get(version) ?? 0) + added);
    }
  }
  return growth;
}

/** Total requests at each version, over all verbs and codes. */
export function requestsByVersion({ requests }: Pick<RequestCounters, "requests">): Map<string, number> {
  const sums = new Map<string, number>();
  for (const one of requests) sums.set(one.version, (sums.get(one.version) ?? 0) + one.requests);
  return sums;
}

function hasShrunk(before: RequestCounters, after: RequestCounters): boolean {
  const counted = new Map(after.requests.map((counter) => [keyOf(counter), counter.requests]));
  return before.requests.some((counter) => (counted.get(keyOf(counter)) ?? 0) < counter.requests);
}

function keyOf({ version, verb, code, subresource }: RequestCounters["requests"][number]): string {
  return JSON.stringify([version, verb, code, subresource]);
}
