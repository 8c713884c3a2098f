import Link from "next/link";
import { definitionHref, rewriteHref } from "#components/hrefs.ts";
import { useTold } from "#components/shared/use-told.ts";
import { Notice } from "#components/ui/notice.tsx";
import { removalStepNames } from "#lib/domain/removal/removal-steps.ts";
import { type StepProps, stepAnchor } from "./step-frame.tsx";

/** What blocks a step, with a link to where the user can solve it. */
export function StepRefusal({ cluster, crd, step }: StepProps) {
  const { refusal, solvedBy } = step;
  const told = useTold();
  if (!refusal) return null;
  const look = "text-ink underline underline-offset-2";
  return (
    <div className="max-w-3xl">
      <Notice tone="warning" title={told(refusal.message)}>
        <p dir="auto">{told(refusal.nextStep)}</p>
        {solvedBy ? (
          <a href={`#${stepAnchor(solvedBy)}`} className={look}>
            Go to step {removalStepNames.indexOf(solvedBy) + 1}
          </a>
        ) : refusal.run ? (
          <Link href={rewriteHref(cluster, crd.name, refusal.run)} prefetch={false} className={look}>
            Go to the rewrite
          </Link>
        ) : (
          <Link href={definitionHref(cluster, crd.name)} prefetch={false} className={look}>
            Go to the definition
          </Link>
        )}
      </Notice>
    </div>
  );
}
