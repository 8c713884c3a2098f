import { ResourceVersion } from "#components/crd/crd-name.tsx";
import { PhaseMark } from "#components/crd/marks/phase-mark.tsx";
import { userOrUnknown } from "#components/crd/user-or-unknown.ts";
import { runEngineWords } from "#components/engines/engine-words.ts";
import { reportHref } from "#components/shell/hrefs.ts";
import { Fact } from "#components/ui/fact.tsx";
import { ButtonLink } from "#components/ui/form/button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { RunControls } from "./run-controls.tsx";

/** What the run rewrites and to which version, who started it, and the commands available now. */
export function RewriteHeading({ cluster, run, plural }: { cluster: string; run: Run; plural: string }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 pt-2 pb-6">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
          Rewrite of {plural} to <span className="font-mono">{run.storageVersion}</span>
        </h1>
        <dl className="flex flex-wrap items-baseline gap-x-6 gap-y-1 pt-2">
          <div>
            <dt className="sr-only">Phase</dt>
            <dd>
              <PhaseMark phase={run.phase} />
            </dd>
          </div>
          <Fact name="Started">
            <Time at={run.startedAt} seconds /> by <span title={userOrUnknown(run.startedBy)}>{userOrUnknown(run.startedBy)}</span>
          </Fact>
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
        </dl>
      </div>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={reportHref(cluster, run.crd, run.id)} prefetch={false}>
          Report
        </ButtonLink>
        <RunControls cluster={cluster} run={run} />
      </div>
    </div>
  );
}
