import type { Connection } from "#lib/cluster/connection.ts";
import { objectPages } from "#lib/cluster/object-pages.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { errorWords } from "#lib/contract/error-words.ts";
import { type Crd, readingVersion } from "#lib/domain/crd.ts";
import type { ObjectName } from "#lib/domain/rewrite.ts";

const WITHIN_MS = 20_000;

/**
 * Looks, before a version goes, for an object whose managedFields name it: server-side apply to that one would fail then, whoever
 * applies (github.com/kubernetes/kubernetes/issues/111937).
 * @throws AppError precondition_failed with `details.managedFields` when there is one, or when it can't be found out within 20 s.
 */
export async function refuseNamedInManagedFields(connection: Connection, crd: Crd, version: string, signal: AbortSignal): Promise<void> {
  const reading = readingVersion(crd)?.name;
  if (!reading) return;
  const consequence = `Once ${version} is gone, server-side apply fails to objects whose managedFields name it`;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  let found: ObjectName | null;
  try {
    found = await firstNaming(connection, crd, { version, reading, signal: deadline });
  } catch (error) {
    signal.throwIfAborted();
    const why = deadline.aborted ? "They are too many to be looked at in 20 s." : errorWords(error);
    throw refusal(`${consequence}, and whether there are any is not known. ${why}`, version, null);
  }
  if (found) throw refusal(`${consequence}, such as ${[found.namespace, found.name].filter(Boolean).join("/")}.`, version, found);
}

function refusal(message: string, version: string, found: ObjectName | null): AppError {
  return new AppError("precondition_failed", message, {
    nextStep: `Clean the entries of ${version} first, or accept that (acceptManagedFields).`,
    details: { managedFields: found ? [found] : [] },
  });
}

async function firstNaming(
  connection: Connection,
  crd: Crd,
  { version, reading, signal }: { version: string; reading: string; signal: AbortSignal },
): Promise<ObjectName | null> {
  for await (const page of objectPages(connection, crd, { version: reading, signal })) {
    const named = page.objects.find(({ writes }) => writes.some((write) => write.version === version));
    if (named) return { namespace: named.namespace, name: named.name };
  }
  return null;
}
