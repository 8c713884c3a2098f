import { clsx } from "clsx";
import { ResourceVersion } from "#components/crd/resource-version.tsx";
import { RemovalLink } from "#components/definition/removal-link.tsx";
import { PruneDialog } from "#components/prune/prune-dialog.tsx";
import { definitionHref } from "#components/shell/hrefs.ts";
import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { verdict } from "./verdict.ts";

const edges: Partial<Record<Run["phase"], string>> = {
  succeeded: "border-good bg-good-wash",
  unproven: "border-blocked bg-blocked-wash",
  failed: "border-blocked bg-blocked-wash",
  interrupted: "border-warning bg-warning-wash",
};

/** The verdict of an ended run, with the next action beside it. */
export function RewriteVerdict({ cluster, run, crd }: { cluster: string; run: Run; crd: CrdDetail | null }) {
  const sentence = verdict(run);
  if (!sentence) return null;
  const proof = crd?.proof?.runId === run.id ? crd.proof : null;
  const mayPrune = proof !== null && crd !== null && crd.leftoverVersions.length > 0;
  return (
    <section
      aria-label="Result"
      className={clsx(
        "mt-6 flex flex-wrap items-center justify-between gap-x-8 gap-y-3 border-l-2 px-4 py-3",
        edges[run.phase] ?? "border-line-strong bg-sunken",
      )}
    >
      <div className="max-w-3xl min-w-0">
        <p className="text-[15px] leading-6">
          {sentence}
          {proof ? (
            <>
              {" "}
              Proven at resourceVersion <ResourceVersion value={proof.verifiedResourceVersion} />.
            </>
          ) : null}
        </p>
        {run.phase === "interrupted" && run.endedAt === null ? (
          <p className="text-ink-soft">
            The counts are from its last report, at <Time at={run.renewedAt} seconds />; it may have done more.
          </p>
        ) : null}
        {run.heldBackBecause ? (
          <p dir="auto" className="[overflow-wrap:anywhere]">
            {run.heldBackBecause}
          </p>
        ) : null}
        {run.statusReason && !run.heldBackBecause && run.phase !== "cancelled" ? (
          <p dir="auto" className="text-ink-soft [overflow-wrap:anywhere]">
            {run.statusReason}
          </p>
        ) : null}
        {proof?.invalidBecause ? <p className="text-warning">The proof no longer holds: {proof.invalidBecause}.</p> : null}
        {mayPrune && crd.actions.prune.refusal ? <p className="text-ink-soft">Can't prune yet: {crd.actions.prune.refusal}</p> : null}
        {run.phase === "succeeded" && crd?.leftoverVersions.length === 0 ? (
          <p className="text-ink-soft">No leftover version blocks a removal.</p>
        ) : null}
        {crd
          ? leaving(crd).map(({ name }) => (
              <p key={name} className="flex items-center gap-x-3">
                <span className="min-w-0 truncate font-mono text-[13px]">{name}</span>
                <RemovalLink cluster={cluster} crd={crd} version={name} />
              </p>
            ))
          : null}
      </div>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={definitionHref(cluster, run.crd)} prefetch={false}>
          Go to the definition
        </ButtonLink>
        {run.heldBackBecause && crd?.run?.id === run.id ? (
          <RewriteButton cluster={cluster} crd={crd} label="Review and rewrite" primary />
        ) : null}
        {proof && crd ? <PruneDialog cluster={cluster} crd={crd} primary describedBy={undefined} /> : null}
      </div>
    </section>
  );
}

/** The versions whose removal is under way; a rewrite is one of its steps. */
function leaving({ versions }: CrdDetail): CrdVersion[] {
  return versions.filter(({ storage, served, deprecated }) => !storage && (deprecated || !served));
}
