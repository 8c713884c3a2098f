import { LossMark } from "#components/crd/loss-list.tsx";
import { ObjectLink, objectName } from "#components/crd/object-link.tsx";
import type { ObjectViewQuery } from "#components/shell/hrefs.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import { DataCell, DataTable } from "#components/ui/table/data-table.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { type Loss, type LossExample, lossValues, worstFirst } from "#lib/domain/losses/losses.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

const EXAMPLES = 3;

const columns = [{ name: "Change" }, { name: "Field" }, { name: "Objects", numeric: true }, { name: "Examples" }];

/** What a rewrite would change in objects besides their storage version. Unknown losses never show as none. */
export function LossesSection({ cluster, dryRun }: { cluster: string; dryRun: DryRun }) {
  const { losses, moreLosses, lossesKnown, lossesUnknownBecause, dryRun: outcome, phase } = dryRun;
  return (
    <Section
      title="Losses"
      aside={<p>The object before and after, at each served version. An example opens where it differs. List indexes are collapsed.</p>}
    >
      <div className="flex flex-col gap-4">
        {lossesKnown || phase === "running" ? null : (
          <Notice tone="warning" title={losses.length > 0 ? "Incomplete" : "Unknown"}>
            <p dir="auto">{lossesUnknownBecause ?? "The dry run did not finish."}</p>
          </Notice>
        )}
        {losses.length > 0 ? (
          <DataTable label="Losses" columns={columns}>
            {worstFirst(losses).map((loss) => (
              <LossRow key={`${loss.kind} ${loss.path}`} cluster={cluster} dryRun={dryRun} loss={loss} />
            ))}
          </DataTable>
        ) : null}
        {moreLosses > 0 ? <p className="text-ink-soft">and {formatCountOf(moreLosses, "more path")}, not listed</p> : null}
        {losses.length === 0 && phase === "running" ? <p className="text-ink-soft">None found so far.</p> : null}
        {losses.length === 0 && phase !== "running" && lossesKnown ? (
          <p>
            {outcome.checked === 0
              ? "Nothing had to be tried, so nothing would be lost."
              : outcome.wouldPass === 0
                ? "Unknown: none of the objects tried would pass."
                : `None in the ${formatCountOf(outcome.wouldPass, "object")} that would pass.`}
          </p>
        ) : null}
      </div>
    </Section>
  );
}

function LossRow({ cluster, dryRun, loss }: { cluster: string; dryRun: DryRun; loss: Loss }) {
  return (
    <tr>
      <DataCell>
        <LossMark kind={loss.kind} />
      </DataCell>
      <th scope="row" className="min-w-36 px-2 py-1.5 sm:min-w-56 text-left font-mono text-xs font-normal [overflow-wrap:anywhere]">
        {loss.path}
      </th>
      <DataCell numeric>
        {formatCount(loss.objects)} <span className="text-ink-faint">of {formatCount(dryRun.dryRun.wouldPass)}</span>
      </DataCell>
      <DataCell className="min-w-80 text-xs">
        <ul className="flex flex-col gap-y-2">
          {loss.examples.slice(0, EXAMPLES).map((example) => (
            <li key={objectName(example)} className="flex flex-wrap items-baseline gap-x-3">
              <ObjectLink cluster={cluster} crd={dryRun.crd} object={example} view={viewOf(example, loss, dryRun.storageVersion)} />
              <span className="font-mono [overflow-wrap:anywhere]">{lossValues(example)}</span>
            </li>
          ))}
        </ul>
      </DataCell>
    </tr>
  );
}

/** The example where it differs: at the version that showed the loss, beside the storage version, at the path. */
function viewOf({ version }: LossExample, { kind, path }: Loss, storageVersion: string): ObjectViewQuery {
  const hasLines = kind !== "managed-fields" && !path.endsWith("…");
  return {
    ...(version !== null && { version }),
    ...(version !== null && version !== storageVersion && { beside: storageVersion }),
    ...(hasLines && { at: path }),
  };
}
