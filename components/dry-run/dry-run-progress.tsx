import { clsx } from "clsx";
import { definitionHref } from "#components/hrefs.ts";
import { useTold } from "#components/shared/use-told.ts";
import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { ButtonLink } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { DryRunOutcome } from "#lib/domain/losses/dry-run.ts";
import { type DryRunVerdict, dryRunVerdict } from "#lib/domain/rewrite/dry-run-verdict.ts";
import { identityChange } from "#lib/domain/rewrite/identity.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** The dry run's progress, and which objects it tries. */
export function DryRunProgress({ dryRun }: { dryRun: DryRun }) {
  const { dryRun: outcome, phase, message } = dryRun;
  const running = phase === "running";
  return (
    <div className="flex flex-col gap-2">
      {phase === "succeeded" ? null : <ProgressBar label="Objects tried" done={outcome.checked} total={outcome.planned} idle={!running} />}
      <div className="flex flex-wrap justify-between gap-x-6 text-sm">
        <p>
          <span className="font-medium">{formatCount(outcome.checked)}</span>
          <span className="text-ink-soft"> of {outcome.planned === null ? "an unknown number" : formatCount(outcome.planned)} tried</span>
        </p>
        <p className="text-ink-soft">{triedWords(dryRun)}</p>
      </div>
      {running && message ? (
        <Notice tone="warning" role="status" title="Waiting">
          <p dir="auto">{message}</p>
        </Notice>
      ) : null}
    </div>
  );
}

/** Which objects the dry run tries. One that ended before it had counted them counts no more. */
export function triedWords({ phase, dryRun }: Pick<DryRun, "phase" | "dryRun">): string {
  return triedOf(dryRun) ?? (phase === "running" ? "Counting the objects…" : "Ended before the objects were counted.");
}

/** How many objects the dry run tries and how they are chosen, in sentences; null until the counts are known. */
export function triedOf({ total, planned, alreadyCurrent }: Pick<DryRunOutcome, "total" | "planned" | "alreadyCurrent">): string | null {
  if (total === null || planned === null) return null;
  if (total === 0) return "There are no objects.";
  const candidates = total - alreadyCurrent;
  const current =
    alreadyCurrent > 0 ? ` ${formatCountOf(alreadyCurrent, "object is", "objects are")} already stored at the storage version.` : "";
  if (candidates <= 0) return `Nothing to try.${current}`;
  if (planned >= candidates) return `${formatCountOf(planned, "object")}: all that a rewrite would patch.${current}`;
  if (planned === 0) return `Random sample: none of the ${formatCountOf(candidates, "object")} that a rewrite would patch.${current}`;
  return `Random sample: ${formatCount(planned)} of ${formatCount(candidates)} objects. The other ${formatCount(candidates - planned)} are not tried.${current}`;
}

const edges: Record<DryRunVerdict["kind"], string> = {
  clear: "border-good bg-good-wash",
  doubtful: "border-warning bg-warning-wash",
  obstructed: "border-blocked bg-blocked-wash",
  cancelled: "border-line-strong bg-sunken",
  failed: "border-blocked bg-blocked-wash",
};

/** The verdict of an ended dry run, with the next action beside it. */
export function DryRunResult({ cluster, dryRun, crd }: { cluster: string; dryRun: DryRun; crd: CrdDetail | null }) {
  const told = useTold();
  const verdict = dryRunVerdict(dryRun);
  if (!verdict) return null;
  const [first, ...more] = verdict.sentences;
  // Only of the newest one more is known.
  const change = crd && (crd.dryRun?.id === dryRun.id ? crd.dryRun.invalidBecause : identityChange(crd, dryRun));
  const invalid = dryRun.phase === "succeeded" ? change : null;
  return (
    <section
      aria-label="Result"
      className={clsx("mt-6 flex flex-wrap items-center justify-between gap-x-8 gap-y-3 border-l-2 px-4 py-3", edges[verdict.kind])}
    >
      <div className="max-w-3xl min-w-0">
        <p className="text-[15px] leading-6 [overflow-wrap:anywhere]">{first}</p>
        {more.map((sentence) => (
          <p key={sentence} className="[overflow-wrap:anywhere]">
            {sentence}
          </p>
        ))}
        {dryRun.message ? (
          <p dir="auto" className="text-ink-soft [overflow-wrap:anywhere]">
            {dryRun.message}
          </p>
        ) : null}
        {invalid ? <p className="text-warning">This dry run no longer holds: {invalid}.</p> : null}
        {crd?.actions.rewrite.refusal ? (
          <p className="text-ink-soft [overflow-wrap:anywhere]">Can't rewrite now: {told(crd.actions.rewrite.refusal)}</p>
        ) : null}
      </div>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={definitionHref(cluster, dryRun.crd)} prefetch={false}>
          Go to the definition
        </ButtonLink>
        {crd ? (
          <RewriteButton
            cluster={cluster}
            crd={crd}
            primary={dryRun.phase === "succeeded" && !invalid && crd.proof?.standing !== "valid"}
          />
        ) : null}
      </div>
    </section>
  );
}
