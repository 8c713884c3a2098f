import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requirePatchRight } from "#lib/cluster/rights/require-patch-right.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { isAdmissionDenial } from "#lib/cluster/transport/refused-writes.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { EditCheck } from "#lib/contract/definition/edit-check.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type EditVerdict, editRefusal, editSteps } from "#lib/domain/definition/edit-verdict.ts";
import { type PatchStep, underResourceVersion } from "#lib/domain/versions/patch-step.ts";
import { changedSince, patchSpec, readExactCrd } from "./crds.ts";

const MAX_ATTEMPTS = 3;

/**
 * Asks the API server, with a dry run, whether it would accept an edit of the definition's schemas. Writes nothing. `serverVersion` is
 * what versionToTellOf tells.
 * @throws AppError forbidden without permission to patch the definition, conflict if it keeps changing, not_found.
 */
export async function checkEdit(
  connection: Connection,
  crdName: string,
  serverVersion: string | null,
  signal: AbortSignal,
): Promise<EditCheck> {
  await requirePatchRight(connection, crdName, { message: `You can't patch ${crdName}, so an edit can't be tried.` }, signal);
  for (let attempt = 1; ; attempt += 1) {
    const { crd, exact } = await readExactCrd(connection, crdName, signal);
    const steps = editSteps(exact);
    const result = Array.isArray(steps)
      ? await verdictOf(connection, crd, steps, signal)
      : ({ verdict: "not-tried", because: steps.notTried } as const);
    if (result) return { crd: crd.name, generation: crd.generation, serverVersion, asOf: new Date().toISOString(), result };
    if (attempt >= MAX_ATTEMPTS) {
      throw new AppError("conflict", `${crdName} kept changing while crdshift tried an edit.`, { nextStep: "Retry in a moment." });
    }
  }
}

// Null if the definition has changed since it was read.
async function verdictOf(connection: Connection, crd: Crd, steps: readonly PatchStep[], signal: AbortSignal): Promise<EditVerdict | null> {
  try {
    await patchSpec(connection, crd.name, underResourceVersion(crd, steps), { dryRun: true, signal });
    return { verdict: "accepted" };
  } catch (error) {
    const answer = clusterAnswer(error);
    if (answer && (isAdmissionDenial(answer) || (answer.status === 422 && answer.fields.length > 0))) {
      const versions = crd.versions.map(({ name }) => name);
      return editRefusal(answer, versions);
    }
    await changedSince(connection, crd, error, signal);
    return null;
  }
}

/** The version of the API server that edits are tried on. Anyone may read it by default; null if this cluster doesn't allow that. */
export async function versionToTellOf(connection: Connection, signal: AbortSignal): Promise<string | null> {
  try {
    return await readServerVersion(connection, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (clusterAnswer(error)?.status === 403) return null;
    throw error;
  }
}
