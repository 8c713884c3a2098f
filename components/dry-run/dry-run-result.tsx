import { clsx } from "clsx";
import { definitionHref } from "#components/shell/hrefs.ts";
import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { type DryRunVerdict, dryRunVerdict } from "./dry-run-verdict.ts";

const edges: Record<DryRunVerdict["tone"], string> = {
  good: "border-good bg-good-wash",
  warning: "border-warning bg-warning-wash",
  blocked: "border-blocked bg-blocked-wash",
  neutral: "border-line-strong bg-sunken",
};

/** The verdict of an ended dry run, with the next action beside it. */
export function DryRunResult({ cluster, dryRun, crd }: { cluster: string; dryRun: DryRun; crd: CrdDetail | null }) {
  const verdict = dryRunVerdict(dryRun);
  if (!verdict) return null;
  const [first, ...more] = verdict.sentences;
  const invalid = crd?.dryRun?.id === dryRun.id ? crd.dryRun.invalidBecause : null;
  return (
    <section
      aria-label="Result"
      className={clsx("mt-6 flex flex-wrap items-center justify-between gap-x-8 gap-y-3 border-l-2 px-4 py-3", edges[verdict.tone])}
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
          <p className="text-ink-soft [overflow-wrap:anywhere]">Can't rewrite now: {crd.actions.rewrite.refusal}</p>
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
            primary={dryRun.phase === "succeeded" && !invalid && crd.proof?.invalidBecause !== null}
          />
        ) : null}
      </div>
    </section>
  );
}
