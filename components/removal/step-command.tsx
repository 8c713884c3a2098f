import { KubectlBlock } from "#components/crd/kubectl-block.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import type { StepProps } from "./step-props.ts";
import { stepSource } from "./step-source.ts";

interface Props extends StepProps {
  command: (kubectl: string) => string;
  difference?: string;
}

/** The same as a step's action with kubectl, and in the source of a definition that somebody else owns. `difference` says what it does not do. */
export function StepCommand({ cluster, crd, version, step, command, difference }: Props) {
  const source = crd.owner ? stepSource(crd, version, step) : null;
  return (
    <div className="flex max-w-3xl flex-col gap-1.5">
      <h3 className="text-xs font-medium text-ink-soft">The same with kubectl</h3>
      {difference ? <p className="text-sm text-ink-soft">{difference}</p> : null}
      <KubectlBlock cluster={cluster} command={command} copyLabel="Copy the command" />
      {source ? (
        <>
          <h3 className="text-xs font-medium text-ink-soft">In its source</h3>
          <CodeBlock text={source} copyLabel="Copy the lines for its source" />
        </>
      ) : null}
    </div>
  );
}
