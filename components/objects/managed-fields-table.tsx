import { DataCell, DataTable } from "#components/ui/table.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

type Entry = CustomObject["managedFields"][number];

const columns = [
  { name: "Manager" },
  { name: "Operation" },
  { name: "Version" },
  { name: "Subresource" },
  { name: "Time" },
  { name: "Fields" },
];

/** The entries of managedFields; marks versions that the definition doesn't have. */
export function ManagedFieldsTable({ crd, entries }: { crd: CrdDetail; entries: Entry[] }) {
  if (entries.length === 0) return <p className="text-ink-soft">None: the object has no managedFields entries.</p>;
  return (
    <DataTable label="Managed fields" columns={columns}>
      {entries.map((entry, index) => (
        // Entries may differ only in their fields, so none of the rest is a key.
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is shown as it is
        <tr key={index} className="align-top">
          <th
            scope="row"
            className="max-w-64 min-w-32 py-1.5 pr-2 text-left font-mono text-xs leading-5 font-medium [overflow-wrap:anywhere]"
          >
            {entry.manager || "–"}
          </th>
          <DataCell>{entry.operation}</DataCell>
          <DataCell className="font-mono text-xs leading-5 whitespace-nowrap">
            <Version crd={crd} version={entry.version} />
          </DataCell>
          <DataCell>{entry.subresource || "–"}</DataCell>
          <DataCell>{entry.time ? <Time at={entry.time} seconds /> : "–"}</DataCell>
          <DataCell className="min-w-60">
            <Fields fields={entry.fields} />
          </DataCell>
        </tr>
      ))}
    </DataTable>
  );
}

function Version({ crd, version }: { crd: CrdDetail; version: string }) {
  if (crd.versions.some(({ name }) => name === version)) return version;
  return (
    <span className="text-blocked">
      {version} <span className="font-sans">■ not in spec.versions</span>
    </span>
  );
}

function Fields({ fields }: { fields: string[] | null }) {
  if (fields === null) return "too many to show";
  if (fields.length === 0) return "none";
  return (
    <details>
      <summary>{formatCountOf(fields.length, "field")}</summary>
      <ul className="pt-1 font-mono text-xs leading-5 text-ink-soft">
        {fields.map((field) => (
          <li key={field} className="[overflow-wrap:anywhere]">
            {field}
          </li>
        ))}
      </ul>
    </details>
  );
}
