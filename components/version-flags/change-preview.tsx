import { KubectlBlock } from "#components/crd/kubectl-block.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { ErrorNotice } from "#components/ui/error-notice.tsx";
import { Notice } from "#components/ui/notice.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { VersionChangePreview } from "#lib/contract/version-change.ts";
import { patchCommand } from "./patch-command.ts";
import { sourceLines } from "./source-lines.ts";
import type { VersionFlags } from "./version-flags.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: string;
  flags: VersionFlags;
  preview: VersionChangePreview;
}

/** What a change brings about, or what stands in its way, with the patch that is sent. */
export function ChangePreview({ cluster, crd, version, flags, preview }: Props) {
  const { refusal, rejection, effects, patch } = preview;
  return (
    <>
      {refusal ? <Notice tone="blocked" role="alert" title={refusal} /> : null}
      {rejection ? <ErrorNotice message="The API server would refuse this." cause={rejection.message} /> : null}
      <section aria-label="What this causes" className="flex flex-col gap-1">
        <h3 className="text-sm font-medium">What this causes</h3>
        <ul className="flex list-disc flex-col gap-1 pl-4 text-sm text-ink-soft">
          {effects.map((effect) => (
            <li key={effect} dir="auto" className="[overflow-wrap:anywhere]">
              {effect}
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="The patch" className="flex flex-col gap-1.5">
        <h3 className="text-sm font-medium">The same with kubectl</h3>
        <KubectlBlock cluster={cluster} command={(kubectl) => patchCommand(kubectl, crd.name, patch)} copyLabel="Copy the command" />
        {crd.owner ? (
          <>
            <h3 className="text-sm font-medium">In its source</h3>
            <CodeBlock text={sourceLines(crd.versions, version, flags)} copyLabel="Copy the lines for its source" />
          </>
        ) : null}
      </section>
    </>
  );
}
