import { clsx } from "clsx";
import { ChangeButton } from "#components/crd/change-button.tsx";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import type { ManagedFields } from "#lib/contract/managed-fields.ts";
import { ManagerList } from "./manager-list.tsx";

type Version = ManagedFields["versions"][number];

const columns = [
  { name: "Version" },
  { name: "Standing" },
  { name: "Objects", numeric: true },
  { name: "Managers" },
  { name: "Carry over" },
];

const standings: Record<Version["standing"], { text: string; colour: string }> = {
  storage: { text: "◆ storage", colour: "text-ink" },
  served: { text: "● served", colour: "text-ink" },
  unserved: { text: "○ not served", colour: "text-ink-soft" },
  missing: { text: "■ not in spec.versions: server-side apply fails now", colour: "text-blocked" },
};

/** Objects with an entry of each version, whose entries these are, and when the last was written. */
export function VersionsTable({ counts, onClean }: { counts: ManagedFields; onClean: (version: string) => void }) {
  return (
    <DataTable label="Managed fields by version" columns={columns}>
      {counts.versions.map((version) => (
        <tr key={version.version} className="align-top">
          <th scope="row" className="max-w-64 truncate py-1.5 pr-2 text-left font-mono font-medium" title={version.version}>
            {version.version}
          </th>
          <DataCell className={clsx("min-w-32", standings[version.standing].colour)}>{standings[version.standing].text}</DataCell>
          <DataCell numeric>{formatCount(version.objects)}</DataCell>
          <DataCell className="min-w-64">
            <ManagerList version={version} />
          </DataCell>
          <DataCell className="whitespace-nowrap">
            {version.standing === "storage" || version.objects === 0 ? (
              <span className="text-ink-faint">–</span>
            ) : (
              <ChangeButton action="clean" disabled={!counts.complete} onClick={() => onClean(version.version)}>
                Clean…<span className="sr-only"> entries of {version.version}</span>
              </ChangeButton>
            )}
          </DataCell>
        </tr>
      ))}
    </DataTable>
  );
}
