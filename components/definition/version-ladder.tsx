import { clsx } from "clsx";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import { Hint } from "#components/ui/hint.tsx";
import { ChangeVersionButton } from "#components/version-flags/change-version-button.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/crd.ts";
import type { ObjectCounts, VersionCount } from "#lib/contract/object-counts.ts";
import { StoredBounds } from "./stored-bounds.tsx";

const columns = [
  { name: "#", numeric: true },
  { name: "Version" },
  { name: "Served" },
  { name: "Storage" },
  { name: "Preferred" },
  { name: "Deprecated" },
  { name: "Stored objects", numeric: true },
  { name: "Last written as", numeric: true },
  { name: "In managedFields", numeric: true },
  { name: "Flags" },
];

/** Each version with its four facts, and what is known of the objects in it. */
export function VersionLadder({ cluster, crd, counts }: { cluster: string; crd: CrdDetail; counts: ObjectCounts | null }) {
  const gone = counts?.versions.filter(({ name }) => !crd.versions.some((version) => version.name === name)) ?? [];
  const countOf = (name: string) => counts?.versions.find((version) => version.name === name) ?? null;
  return (
    <DataTable label="Versions" columns={columns}>
      {crd.versions.map((version, index) => (
        <LadderRow key={version.name} cluster={cluster} rank={index + 1} version={version} crd={crd} count={countOf(version.name)} />
      ))}
      {gone.map((count) => (
        <tr key={count.name} className="h-12">
          <DataCell numeric>–</DataCell>
          <DataCell className="font-mono">{count.name}</DataCell>
          <td colSpan={4} className="px-2 text-warning">
            not in spec.versions
          </td>
          <CountCells count={count} />
        </tr>
      ))}
    </DataTable>
  );
}

interface LadderRowProps {
  cluster: string;
  rank: number;
  version: CrdVersion;
  crd: CrdDetail;
  count: VersionCount | null;
}

function LadderRow({ cluster, rank, version, crd, count }: LadderRowProps) {
  return (
    <tr className="h-12">
      <DataCell numeric className="w-8 text-ink-faint">
        {rank}
      </DataCell>
      <th
        scope="row"
        className={clsx("max-w-64 truncate px-2 text-left font-mono font-medium", !version.served && "line-through decoration-1")}
        title={version.name}
      >
        {version.name}
      </th>
      <Fact on={version.served} yes="● served" no="○ not served" />
      <Fact on={version.storage} yes="◆ storage" />
      <Fact on={version.name === crd.preferredVersion} yes="★ preferred" />
      <DataCell className="max-w-md min-w-44">
        {version.deprecated ? (
          <>
            <span className="text-warning">⚠ deprecated</span>
            {version.deprecationWarning ? (
              <span dir="auto" className="block text-xs text-ink-soft [overflow-wrap:anywhere]">
                “{version.deprecationWarning}”
              </span>
            ) : null}
          </>
        ) : (
          <Dash />
        )}
      </DataCell>
      <CountCells count={count} />
      <DataCell className="text-right">
        <ChangeVersionButton cluster={cluster} crd={crd} version={version} />
      </DataCell>
    </tr>
  );
}

function CountCells({ count }: { count: VersionCount | null }) {
  return (
    <>
      <DataCell numeric className="min-w-36">
        {count ? <StoredBounds stored={count.stored} /> : <Dash word="unknown" />}
      </DataCell>
      <DataCell numeric>
        <Evidence
          count={count?.lastWrittenAs ?? null}
          text="Objects whose newest managedFields entry names this version: which version clients write, not how it is stored."
        />
      </DataCell>
      <DataCell numeric>
        <Evidence
          count={count?.managedFieldsAs ?? null}
          text="Objects with any managedFields entry that names this version. Server-side apply to them fails once the version is gone."
        />
      </DataCell>
    </>
  );
}

function Fact({ on, yes, no }: { on: boolean; yes: string; no?: string }) {
  return <DataCell className={clsx("whitespace-nowrap", on ? "text-ink" : "text-ink-soft")}>{on ? yes : (no ?? <Dash />)}</DataCell>;
}

function Evidence({ count, text }: { count: number | null; text: string }) {
  return count === null ? <Dash word="unknown" /> : <Hint text={text}>{formatCount(count)}</Hint>;
}

function Dash({ word = "no" }: { word?: "no" | "unknown" }) {
  return (
    <span className="text-ink-faint">
      <span aria-hidden>–</span>
      <span className="sr-only">{word}</span>
    </span>
  );
}
