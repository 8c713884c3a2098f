import { somebody } from "#components/crd/somebody.ts";
import { Fact } from "#components/ui/fact.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import { Time } from "#components/ui/time.tsx";
import type { Preflight } from "#lib/contract/preflight.ts";
import { CancelDryRunButton } from "./cancel-dry-run-button.tsx";
import { PreflightPhaseMark } from "./preflight-phase-mark.tsx";

/** What is tried, by whom, how many objects at the most, and the way to end it. */
export function DryRunHeading({ cluster, preflight, plural }: { cluster: string; preflight: Preflight; plural: string }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 pt-2 pb-6">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
          Dry run of {plural} to <span className="font-mono">{preflight.storageVersion}</span>
        </h1>
        <dl className="flex flex-wrap items-baseline gap-x-6 gap-y-1 pt-2">
          <div>
            <dt className="sr-only">Phase</dt>
            <dd>
              <PreflightPhaseMark phase={preflight.phase} />
            </dd>
          </div>
          <Fact name="Started">
            <Time at={preflight.startedAt} seconds /> by <span title={somebody(preflight.startedBy)}>{somebody(preflight.startedBy)}</span>
          </Fact>
          {preflight.endedAt ? (
            <Fact name="Ended">
              <Time at={preflight.endedAt} seconds />
            </Fact>
          ) : null}
          <Fact name="Sample">at most {formatCount(preflight.sampleSize)} objects</Fact>
          <Fact name="Generation">{preflight.generation}</Fact>
        </dl>
      </div>
      {preflight.phase === "running" ? <CancelDryRunButton cluster={cluster} preflight={preflight} /> : null}
    </div>
  );
}
