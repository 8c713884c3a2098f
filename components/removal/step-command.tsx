import { KubectlBlock } from "#components/shared/kubectl-block.tsx";
import { CodeBlock } from "#components/ui/code.tsx";
import { flagsOf, sourceLines } from "#components/version-flags/version-flags.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";
import type { StepProps } from "./step-frame.tsx";

interface Props extends StepProps {
  command: (kubectl: string) => string;
  difference?: string;
}

/** A step's action with kubectl, and in the source manifest if something owns the definition. `difference` says what kubectl leaves out. */
export function StepCommand({ crd, version, step, command, difference }: Props) {
  const source = crd.owner ? stepSource(crd, version, step) : null;
  return (
    <div className="flex max-w-3xl flex-col gap-1.5">
      <h3 className="text-xs font-medium text-ink-soft">With kubectl</h3>
      {difference ? <p className="text-sm text-ink-soft">{difference}</p> : null}
      <KubectlBlock command={command} copyLabel="Copy the command" />
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
