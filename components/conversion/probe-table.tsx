import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import type { ConversionProbe } from "#lib/contract/definition/conversion.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";

type Probed = ConversionProbe["versions"][number];

const columns = [
  { name: "Version" },
  { name: "List", numeric: true, hint: "Duration of a list with limit=1" },
  { name: "Get", numeric: true, hint: "Duration of reading the same object by name" },
  { name: "Answer" },
];

/** What each served version answered, and how quickly. */
export function ProbeTable({ probe }: { probe: ConversionProbe }) {
  return (
    <div className="w-full max-w-3xl">
      <DataTable label="Conversion by version" columns={columns}>
        {probe.versions.map((probed, index) => (
          <tr key={probed.version} className="align-top">
            <th
              scope="row"
              className="max-w-48 min-w-24 py-1.5 pr-2 text-left font-mono text-xs leading-5 font-medium [overflow-wrap:anywhere]"
            >
              {probed.version}
            </th>
            <DataCell numeric>{formatCount(probed.ms)} ms</DataCell>
            <DataCell numeric>
              {probed.readMs === null ? <span className="text-ink-faint">–</span> : `${formatCount(probed.readMs)} ms`}
            </DataCell>
            <DataCell className="min-w-48 [overflow-wrap:anywhere]">
              <Answer probed={probed} before={probe.versions[index - 1]?.failure ?? null} />
            </DataCell>
          </tr>
        ))}
      </DataTable>
    </div>
  );
}

/** `before` is the failure in the row above: when the webhook is down, all versions fail the same way. */
function Answer({ probed: { failure, objects, readMs }, before }: { probed: Probed; before: string | null }) {
  if (failure !== null) {
    return (
      <span className="text-blocked">
        <span aria-hidden>✕</span> fails{failure === before ? ", for the same reason" : <Reason text={failure} />}
      </span>
    );
  }
  if (objects === 0) return <span className="text-ink-soft">no object</span>;
  if (readMs === null) return <span className="text-ink-soft">the object was deleted in between</span>;
  return (
    <span className="text-good">
      <span aria-hidden>✓</span> answers
    </span>
  );
}

function Reason({ text }: { text: string }) {
  return (
    <>
      : <span dir="auto">{text}</span>
    </>
  );
}
