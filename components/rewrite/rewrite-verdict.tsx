import { clsx } from "clsx";
import { RemovalLink } from "#components/definition/next-step-link.tsx";
import { definitionHref } from "#components/hrefs.ts";
import { ResourceVersion } from "#components/shared/names.tsx";
import { PruneDialog } from "#components/shared/prune.tsx";
import { useCommands, useTold } from "#components/shared/use-told.ts";
import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { ButtonLink } from "#components/ui/form.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { endedVerdict } from "#lib/domain/audit/ended-verdict.ts";
import { type SuccessStanding, successStanding } from "#lib/domain/audit/success-standing.ts";
import { nextStepAfter, refusedRewrite } from "#lib/domain/definition/next-step.ts";
import type { RunVerdict } from "#lib/domain/rewrite/run-verdict.ts";

const edges: Record<Exclude<RunVerdict["kind"], "succeeded">, string> = {
  "held-back": "border-blocked bg-blocked-wash",
  rejected: "border-blocked bg-blocked-wash",
  failed: "border-blocked bg-blocked-wash",
  interrupted: "border-warning bg-warning-wash",
  cancelled: "border-line-strong bg-sunken",
};

const successEdges: Record<SuccessStanding["state"], string> = {
  proven: "border-good bg-good-wash",
  void: "border-warning bg-warning-wash",
  claimed: "border-warning bg-warning-wash",
  missing: "border-warning bg-warning-wash",
  replaced: "border-line-strong bg-sunken",
  unknown: "border-line-strong bg-sunken",
};

/** The verdict of an ended run, with the next action beside it. */
export function RewriteVerdict({ cluster, run, crd }: { cluster: string; run: Run; crd: CrdDetail | null }) {
  const [told, withCommands] = [useTold(), useCommands()];
  const verdict = endedVerdict(run, crd, crd?.run?.id ?? null);
  if (!verdict) return null;
  const standing = successStanding(run, crd);
  const proof = crd?.proof?.runId === run.id ? crd.proof : null;
  const next = crd && nextStepAfter(run, crd);
  const again = refusedRewrite(next, crd);
  const mayPrune = proof !== null && crd !== null && crd.leftoverVersions.length > 0;
  return (
    <section
      aria-label="Result"
      className={clsx(
        "mt-6 flex flex-wrap items-center justify-between gap-x-8 gap-y-3 border-l-2 px-4 py-3",
        verdict.kind === "succeeded" ? successEdges[standing.state] : edges[verdict.kind],
      )}
    >
      <div className="max-w-3xl min-w-0">
        <p className="text-[15px] leading-6">
          {verdict.sentence}
          {standing.state === "proven" ? (
            <>
              {" "}
              Proven at resourceVersion <ResourceVersion value={standing.proof.verifiedResourceVersion} />.
            </>
          ) : null}
        </p>
        {run.phase === "interrupted" && run.endedAt === null ? (
          <p className="text-ink-soft">
            The counts are from its last report, at <Time at={run.renewedAt} seconds />; it may have done more.
          </p>
        ) : null}
        {verdict.because ? (
          <p dir="auto" className={clsx("[overflow-wrap:anywhere]", verdict.kind !== "held-back" && "text-ink-soft")}>
            {withCommands(verdict.because)}
          </p>
        ) : null}
        {mayPrune && crd.actions.prune.refusal ? <p className="text-ink-soft">Can't prune yet: {told(crd.actions.prune.refusal)}</p> : null}
        {next?.step === "solve" && next.refusal === crd?.actions[again].refusal ? (
          <p className="text-ink-soft">
            Can't {again} yet: {told(next.refusal)}
          </p>
        ) : null}
        {run.phase === "succeeded" && standing.state === "proven" && crd?.leftoverVersions.length === 0 ? (
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
        {crd ? <NextAction cluster={cluster} run={run} crd={crd} isProof={proof !== null} /> : null}
      </div>
    </section>
  );
}

/** The next step after the run as a button, if it is taken here. Rejections are retried and a run is resumed elsewhere on the page. */
function NextAction({ cluster, run, crd, isProof }: { cluster: string; run: Run; crd: CrdDetail; isProof: boolean }) {
  // The proof of an older run still allows a prune.
  if (isProof) return <PruneDialog cluster={cluster} crd={crd} primary describedBy={undefined} />;
  const next = nextStepAfter(run, crd);
  switch (next.step) {
    case "review-losses":
      return <RewriteButton cluster={cluster} crd={crd} label="Review and rewrite" primary />;
    case "prune":
      return <PruneDialog cluster={cluster} crd={crd} primary describedBy={undefined} />;
    case "rewrite":
      return <RewriteButton cluster={cluster} crd={crd} primary chosen={{ verifyEveryObject: next.verifyEveryObject }} />;
    default:
      return null;
  }
}

/** The versions whose removal is under way; a rewrite is one of its steps. */
function leaving({ versions }: CrdDetail): CrdVersion[] {
  return versions.filter(({ storage, served, deprecated }) => !storage && (deprecated || !served));
}
