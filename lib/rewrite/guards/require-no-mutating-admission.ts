import { readMutating } from "#lib/cluster/definitions/mutating-admission.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { stopOf } from "#lib/rewrite/record/hold-run.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";

/**
 * Refuses to delegate a rewrite unless crdshift can read that nothing may change its objects in admission: the cluster's own engine checks
 * no object first. A dry run tells only what admission makes of crdshift's writes, and a webhook or policy may treat
 * kube-controller-manager's differently. Waits for an outage to end. `nothing` says what the run has written.
 * @throws StopRun unproven with the denial, or with what may change objects.
 */
export async function requireNoMutatingAdmission({ job, identity, gate, signal }: Progress, nothing: string): Promise<void> {
  const { connection, crd } = job;
  const request = { connection, crd, version: identity.storageVersion, signal };
  const { webhooks, policies } = readMutating(request, (send) => throughGate(gate, signal, send));
  const mutating = await Promise.all([webhooks, policies]).catch((error: unknown) => {
    signal.throwIfAborted();
    if (isStopRun(error) || stopOf(error).phase === "interrupted") throw error;
    throw new StopRun(
      "unproven",
      `${nothing}: crdshift can't read the mutating webhooks and policies, and the cluster's own engine doesn't check objects before it ` +
        `writes. ${errorWords(error)} Ask for the right to list them, rewrite with crdshift's own engine, or accept losses unseen.`,
    );
  });
  const [first, ...rest] = mutating.flat();
  if (!first) return;
  const others = rest.length > 0 ? ` and ${rest.length} more` : "";
  throw new StopRun(
    "unproven",
    `${nothing}: the ${first.kind} ${first.name}${others} may change objects, and a dry run can't show how it treats the writes of the cluster's ` +
      "own engine, which kube-controller-manager sends. Rewrite with crdshift's own engine, which checks each object " +
      "before it writes.",
  );
}
