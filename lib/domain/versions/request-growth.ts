/** The counters of one API server: each only grows until that server starts anew. */
export interface RequestCounters {
  /** RFC 3339, as is the other. */
  asOf: string;
  startedAt: string | null;
  requests: readonly { version: string; verb: string; code: string; subresource: string; requests: number }[];
}

/** The first and the latest answer of one API server, from one start of it. */
export interface RequestsSeen<Counters extends RequestCounters> {
  first: Counters;
  latest: Counters;
}

/** Behind one address there are few API servers. */
const MAX_SERVERS = 10;

/**
 * What has been seen, with one more answer. An API server is known again by when it started; one that started anew (another time, or a
 * counter that is smaller than it was) is seen for the first time.
 */
export function withAnswer<Counters extends RequestCounters>(
  seen: readonly RequestsSeen<Counters>[],
  answer: Counters,
): RequestsSeen<Counters>[] {
  const same = seen.find(({ first, latest }) => first.startedAt === answer.startedAt && !hasShrunk(latest, answer));
  const others = seen.filter(({ first }) => first.startedAt !== answer.startedAt);
  return [...others, { first: same?.first ?? answer, latest: answer }].slice(-MAX_SERVERS);
}

/** The requests that have been added between the first and the latest answers, by version; a version without any is left out. */
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

/** The requests at each version, whatever their verbs and answers. */
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
