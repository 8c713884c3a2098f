import { ResourceVersion } from "#components/crd/crd-name.tsx";
import { PhaseMark } from "#components/crd/marks/phase-mark.tsx";
import { RunHeading } from "#components/crd/run-heading.tsx";
import { runEngineWords } from "#components/engines/engine-words.ts";
import { reportHref } from "#components/shell/hrefs.ts";
import { Fact } from "#components/ui/fact.tsx";
import { ButtonLink } from "#components/ui/form/button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { RunControls } from "./run-controls.tsx";

/** What the run rewrites and to which version, who started it, and the commands available now. */
export function RewriteHeading({ cluster, run, plural }: { cluster: string; run: Run; plural: string }) {
  const commands = (
    <div className="flex flex-wrap gap-2">
      <ButtonLink href={reportHref(cluster, run.crd, run.id)} prefetch={false}>
        Report
      </ButtonLink>
      <RunControls cluster={cluster} run={run} />
    </div>
  );
  return (
    <RunHeading what="Rewrite" plural={plural} run={run} phase={<PhaseMark phase={run.phase} />} commands={commands}>
      <Fact name="Engine">{runEngineWords[run.engine]}</Fact>
      {run.settleResourceVersion ? (
        <Fact name="Settle point">
          <ResourceVersion value={run.settleResourceVersion} />
        </Fact>
      ) : null}
      {run.endedAt ? (
        <Fact name="Ended">
          <Time at={run.endedAt} seconds />
        </Fact>
      ) : null}
    </RunHeading>
  );
}
