import Link from "next/link";
import { dryRunHref, removalHref, rewriteHref } from "#components/hrefs.ts";
import { ButtonLink } from "#components/ui/form.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { NextStep } from "#lib/domain/definition/next-step.ts";
import { removalProgress } from "#lib/domain/removal/removal-steps.ts";

/** The next step as the primary button, if it is to look at a run or a dry run. The others are actions with buttons of their own. */
export function NextStepLink({ cluster, crd, next }: { cluster: string; crd: string; next: NextStep }) {
  const link = linkTo(next);
  if (!link) return null;
  const href = link.to === "run" ? rewriteHref(cluster, crd, link.id) : dryRunHref(cluster, crd, link.id);
  return (
    <ButtonLink weight="primary" href={href} prefetch={false}>
      {link.label}
    </ButtonLink>
  );
}

/** Where the step leads and what its button says; null if it is not a link. */
export function linkTo(next: NextStep): { label: string; to: "run" | "dry-run"; id: string } | null {
  switch (next.step) {
    case "watch":
      return { label: "Watch rewrite", to: "run", id: next.run };
    case "resume":
      return { label: "View interrupted rewrite", to: "run", id: next.run };
    case "see-rejections":
      return { label: next.in === "run" ? "View rejected objects" : "View rejections", to: next.in, id: next.id };
    case "review-losses":
      return next.dryRun === null ? null : { label: "Review losses", to: "dry-run", id: next.dryRun };
    case "dry-run":
    case "rewrite":
    case "prune":
    case "repair":
    case "clean":
    case "solve":
    case "none":
      return null;
    default:
      return next satisfies never;
  }
}

/** The link to a version's removal path, with its progress. */
export function RemovalLink({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const removal = crd.removals.find((one) => one.version === version);
  const progress = removal ? removalProgress(removal.steps) : null;
  return (
    <Link
      href={removalHref(cluster, crd.name, version)}
      prefetch={false}
      className="inline-flex h-8 items-center gap-1.5 whitespace-nowrap underline decoration-line-strong underline-offset-2 hover:decoration-ink"
    >
      Remove<span className="sr-only"> {version},</span>
      {progress ? (
        <span className="text-xs text-ink-soft">
          {progress.done} of {progress.of} done
        </span>
      ) : null}
    </Link>
  );
}
