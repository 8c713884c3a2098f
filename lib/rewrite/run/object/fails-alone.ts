import type { Connection } from "#lib/cluster/connection/connection.ts";
import { dryRunRewrite, readObjectMetadata } from "#lib/cluster/objects/custom-objects.ts";
import { firstThatLists } from "#lib/cluster/objects/first-that-lists.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { halvedWhileTooLarge } from "#lib/cluster/transport/answer-size.ts";
import { clusterAnswer } from "#lib/cluster/transport/errors.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { classifyFailure } from "./classify-failure.ts";

export interface Listing {
  connection: Connection;
  crd: Crd;
  gate: Gate;
  signal: AbortSignal;
  runId?: string;
}

/** With no other object to try, one that fails for this long while lists succeed is at fault. */
const ALONE_AFTER_MS = 2 * 60_000;
/** Those that an earlier run rejected fail again, and may be the first of the list. So some of many are tried. */
const LISTED = 500;
const TRIED = 3;

/**
 * Whether an object that fails for ever does so alone: what fails for it works for another object, one of those that aren't `failing`.
 * Where none shows it, as when a policy denies all others, it has to fail for two minutes while lists succeed, and nothing else fails or
 * other writes succeed. Otherwise all of them may fail, as when a webhook is down. Throws the signal's reason.
 */
export async function failsAlone(
  context: Listing,
  object: ObjectName,
  { kind, since, failing }: { kind: "conversion" | "write"; since: number; failing: ReadonlySet<ObjectName> },
): Promise<boolean> {
  const { connection, crd, signal, runId, gate } = context;
  const storage = storageVersion(crd)?.name ?? "";
  const others = otherServedVersions(crd, storage);
  const options = { signal, ...(runId && { runId }) };
  /** Null if that says nothing about others: it is gone, rejected, or unreadable itself. */
  const works = async (other: ObjectName): Promise<boolean | null> => {
    try {
      gate.throwIfHeld();
      if (kind === "write") await dryRunRewrite(connection, crd, storage, other, options);
      // A read without a resourceVersion comes from etcd. A current object is converted only when it is read at another version, so
      // where none is served, a failure tells something, and a success nothing.
      for (const version of kind === "conversion" ? [storage, ...others] : []) {
        gate.throwIfHeld();
        await readObjectMetadata(connection, crd, version, other, options);
      }
      return true;
    } catch (error) {
      const meaning = classifyFailure(error, other).kind;
      if (meaning === "gone" || meaning === "rejected") return null;
      if (clusterAnswer(error) === null) throw error;
      return false;
    }
  };
  const list = (version: string) => {
    gate.throwIfHeld();
    return halvedWhileTooLarge(LISTED, (limit) => listObjects(connection, crd, { version, limit, ...options }));
  };
  try {
    const listed = await firstThatLists([storage, ...others], list, (error) => clusterAnswer(error) !== null);
    if (!listed) return false;
    const isFailing = new Set([...failing, object].map(pathOf));
    const canShow = kind === "write" || others.length > 0;
    let hasFailed = false;
    for (const other of sampleOf(listed.objects.filter((one) => !isFailing.has(pathOf(one))))) {
      const worked = await works(other);
      if (worked && canShow) return true;
      hasFailed ||= worked === false;
    }
    const othersGoOn = isFailing.size === 1 || gate.lastSuccessAt() > since;
    return !hasFailed && othersGoOn && performance.now() - since > ALONE_AFTER_MS;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

function sampleOf(objects: readonly ObjectName[]): ObjectName[] {
  const left = [...objects];
  return Array.from({ length: Math.min(TRIED, left.length) }, () => left.splice(Math.floor(Math.random() * left.length), 1)).flat();
}

function pathOf({ namespace, name }: ObjectName): string {
  return `${namespace}/${name}`;
}
