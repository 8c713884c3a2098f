import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";

const columns = [{ name: "Condition" }, { name: "Status" }, { name: "Reason" }, { name: "Message" }];

/** What the API server says of the definition. */
export function ConditionsSection({ crd }: { crd: CrdDetail }) {
  return (
    <Section title="Conditions">
      {crd.conditions.length === 0 ? (
        <p className="text-ink-soft">The API server has written none.</p>
      ) : (
        <DataTable label="Conditions" columns={columns}>
          {crd.conditions.map((condition) => (
            <tr key={condition.type}>
              <th scope="row" className="h-9 pr-2 text-left font-medium whitespace-nowrap">
                {condition.type}
              </th>
              <DataCell>{condition.status}</DataCell>
              <DataCell className="whitespace-nowrap">{condition.reason || "–"}</DataCell>
              <DataCell className="min-w-60 [overflow-wrap:anywhere] text-ink-soft">
                <span dir="auto">{condition.message || "–"}</span>
              </DataCell>
            </tr>
          ))}
        </DataTable>
      )}
    </Section>
  );
}
