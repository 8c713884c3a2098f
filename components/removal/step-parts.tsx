import Link from "next/link";
import { inLocalTime } from "#components/crd/api-error-notice.tsx";
import { KubectlBlock } from "#components/crd/kubectl.tsx";
import { definitionHref, rewriteHref } from "#components/shell/hrefs.ts";
import { CodeBlock } from "#components/ui/code.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { flagsOf, sourceLines } from "#components/version-flags/version-flags.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";
import { type RemovalStepName, removalStepNames } from "#lib/domain/removal/removal.ts";

/** The props of every step of the path. */
export interface StepProps {
  cluster: string;
  crd: CrdDetail;
  version: string;
  step: RemovalStep;
}

/** A step's element id on the page; a link to it unfolds the step. */
export function stepAnchor(step: RemovalStepName): string {
  return `step-${step}`;
}

/** What blocks a step, with a link to where the user can solve it. */
export function StepRefusal({ cluster, crd, step }: StepProps) {
  const { refusal, solvedBy } = step;
  if (!refusal) return null;
  const look = "text-ink underline underline-offset-2";
  return (
    <div className="max-w-3xl">
      <Notice tone="warning" title={inLocalTime(refusal.message)}>
        <p dir="auto">{inLocalTime(refusal.nextStep)}</p>
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

/** Why a finished step can't be undone now. */
export function UndoRefusal({ step: { undoRefusal } }: StepProps) {
  if (!undoRefusal) return null;
  return (
    <p dir="auto" className="max-w-3xl text-warning [overflow-wrap:anywhere]">
      {inLocalTime(`${undoRefusal.message} ${undoRefusal.nextStep}`)}
    </p>
  );
}

interface Props extends StepProps {
  command: (kubectl: string) => string;
  difference?: string;
}

/** A step's action with kubectl, and in the source manifest if something owns the definition. `difference` says what kubectl leaves out. */
export function StepCommand({ cluster, crd, version, step, command, difference }: Props) {
  const source = crd.owner ? stepSource(crd, version, step) : null;
  return (
    <div className="flex max-w-3xl flex-col gap-1.5">
      <h3 className="text-xs font-medium text-ink-soft">With kubectl</h3>
      {difference ? <p className="text-sm text-ink-soft">{difference}</p> : null}
      <KubectlBlock cluster={cluster} command={command} copyLabel="Copy the command" />
      {source ? (
        <>
          <h3 className="text-xs font-medium text-ink-soft">In its source manifest</h3>
          <CodeBlock text={source} copyLabel="Copy the source lines" />
        </>
      ) : null}
    </div>
  );
}

/** The lines of the source manifest that a step's action changes; null if there are none. */
function stepSource(crd: CrdDetail, version: string, { action }: Pick<RemovalStep, "action">): string | null {
  const found = crd.versions.find(({ name }) => name === version);
  switch (action) {
    case "deprecate":
      return found ? sourceLines(crd.versions, version, { ...flagsOf(found), deprecated: true }) : null;
    case "unserve":
      return found ? sourceLines(crd.versions, version, { ...flagsOf(found), served: false }) : null;
    case "remove":
      return `spec:\n  versions:\n    # no entry named ${version}`;
    case "drop":
      return "spec:\n  conversion:\n    strategy: None\n    # no webhook: the API server rejects one with None";
    case "flip":
    case "restore":
    case "rewrite":
    case "prune":
    case null:
      return null;
    default:
      return action satisfies never;
  }
}
