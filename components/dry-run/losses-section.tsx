import { LossMark } from "#components/crd/losses/loss-list.tsx";
import { ObjectLink, objectName } from "#components/crd/object-link.tsx";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { worstFirst } from "#lib/domain/losses/worst-first.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

const EXAMPLES = 3;

const columns = [{ name: "Change" }, { name: "Field" }, { name: "Objects", numeric: true }, { name: "Examples" }];

/** What a rewrite would change in objects besides their storage version. Unknown losses never show as none. */
export function LossesSection({ cluster, dryRun }: { cluster: string; dryRun: DryRun }) {
  const { losses, moreLosses, lossesKnown, lossesUnknownBecause, dryRun: outcome, phase } = dryRun;
  return (
    <Section
      title="Losses"
      aside={
        <p>
          Compares the dry run's answer with the current object, both read at the storage version and at each old version. List indexes are
          collapsed.
        </p>
      }
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
              <LossRow key={`${loss.kind} ${loss.path}`} cluster={cluster} crd={dryRun.crd} loss={loss} compared={outcome.wouldPass} />
            ))}
          </DataTable>
        ) : null}
        {moreLosses > 0 ? <p className="text-ink-soft">and {formatCount(moreLosses)} more paths, not listed</p> : null}
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

function LossRow({ cluster, crd, loss, compared }: { cluster: string; crd: string; loss: Loss; compared: number }) {
  return (
    <tr>
      <DataCell>
        <LossMark kind={loss.kind} />
      </DataCell>
      <th scope="row" className="min-w-36 px-2 py-1.5 sm:min-w-56 text-left font-mono text-xs font-normal [overflow-wrap:anywhere]">
        {loss.path}
      </th>
      <DataCell numeric>
        {formatCount(loss.objects)} <span className="text-ink-faint">of {formatCount(compared)}</span>
      </DataCell>
      <DataCell className="min-w-80 text-xs">
        <span className="flex flex-wrap gap-x-3">
          {loss.examples.slice(0, EXAMPLES).map((object) => (
            <ObjectLink key={objectName(object)} cluster={cluster} crd={crd} object={object} />
          ))}
        </span>
      </DataCell>
    </tr>
  );
}
