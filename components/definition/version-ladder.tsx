import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Hint } from "#components/ui/hint.tsx";
import { DataCell, DataTable, StackedCell } from "#components/ui/table.tsx";
import { ChangeVersionButton } from "#components/version-flags/change-version-button.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import type { ObjectCounts, VersionCount } from "#lib/contract/objects/object-counts.ts";
import { whyNothingServed } from "#lib/domain/definition/stored-versions.ts";
import { isOvertaken } from "#lib/domain/objects/is-overtaken.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { RemovalLink } from "./next-step-link.tsx";
import { StoredBounds } from "./stored-bounds.tsx";

const LAST_WRITTEN =
  "Objects whose newest managedFields entry names this version. Shows which version clients write, not how objects are stored.";
const IN_MANAGED_FIELDS =
  "Objects with any managedFields entry for this version. Server-side apply to them fails once the version is removed.";

const columns = [
  { name: "#", numeric: true },
  { name: "Version" },
  { name: "Served" },
  { name: "Storage" },
  { name: "Preferred" },
  { name: "Deprecated" },
  { name: "Stored objects", numeric: true, hint: "How many objects are stored at this version, as far as anything proves it." },
  { name: "Last written as", numeric: true, hint: LAST_WRITTEN },
  { name: "In managedFields", numeric: true, hint: IN_MANAGED_FIELDS },
  { name: "Change" },
];

const rowClass = "md:h-12 max-md:grid max-md:grid-cols-2 max-md:gap-x-2 max-md:py-2";
const nameClass =
  "max-w-64 truncate px-2 text-left font-mono font-medium max-md:col-span-2 max-md:max-w-none max-md:px-0 max-md:py-0.5 max-md:whitespace-normal [overflow-wrap:anywhere]";
const countClass = "max-md:col-span-2 md:text-right md:whitespace-nowrap";

/** Each version with its facts and object counts. */
export function VersionLadder({ cluster, crd, counts }: { cluster: string; crd: CrdDetail; counts: ObjectCounts | null }) {
  const gone = counts?.versions.filter(({ name }) => !crd.versions.some((version) => version.name === name)) ?? [];
  const overtaken = ({ stored: { basis } }: VersionCount) => counts !== null && isOvertaken(basis, counts.definition, crd);
  const countOf = (name: string) => counts?.versions.find((version) => version.name === name) ?? null;
  return (
    <DataTable label="Versions" columns={columns} stacks>
      {crd.versions.map((version, index) => (
        <LadderRow key={version.name} cluster={cluster} rank={index + 1} version={version} crd={crd}>
          <CountCells count={countOf(version.name)} overtaken={overtaken} />
        </LadderRow>
      ))}
      {gone.map((count) => (
        <tr key={count.name} className={rowClass}>
          <DataCell numeric className="max-md:hidden">
            –
          </DataCell>
          <th scope="row" className={nameClass}>
            {count.name}
          </th>
          <td colSpan={4} className="px-2 text-warning max-md:col-span-2 max-md:px-0">
            not in spec.versions
          </td>
          <CountCells count={count} overtaken={overtaken} />
          <td className="max-md:hidden" />
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
  /** The cells of its counts. */
  children: ReactNode;
}

function LadderRow({ cluster, rank, version, crd, children }: LadderRowProps) {
  const unserved = whyNothingServed(crd);
  const isServed = version.served && unserved === null;
  return (
    <tr className={rowClass}>
      <DataCell numeric className="w-8 text-ink-faint max-md:hidden">
        {rank}
      </DataCell>
      <th scope="row" className={nameClass} title={version.name}>
        <span aria-hidden className="pr-2 font-normal text-ink-faint md:hidden">
          {rank}
        </span>
        <span className={clsx(!isServed && "line-through decoration-1")}>{version.name}</span>
      </th>
      <Fact name="Served" on={isServed} yes="● served" no="○ not served">
        {version.served ? unserved : null}
      </Fact>
      <Fact name="Storage" on={version.storage} yes="◆ storage" />
      <Fact name="Preferred" on={isServed && version.name === crd.preferredVersion} yes="★ preferred" />
      <StackedCell
        name="Deprecated"
        nameWidth="short"
        className={clsx("md:max-w-md md:min-w-44", version.deprecated && "max-md:col-span-2")}
      >
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
      </StackedCell>
      {children}
      <StackedCell name="Change" nameWidth="long" className="max-md:col-span-2 max-md:items-center">
        <span className="items-center gap-x-3 max-md:inline-flex max-md:flex-wrap md:inline-grid md:auto-cols-max md:grid-flow-col">
          <ChangeVersionButton cluster={cluster} crd={crd} version={version} />
          {version.storage ? null : <RemovalLink cluster={cluster} crd={crd} version={version.name} />}
        </span>
      </StackedCell>
    </tr>
  );
}

function CountCells({ count, overtaken }: { count: VersionCount | null; overtaken: (count: VersionCount) => boolean }) {
  return (
    <>
      <StackedCell name="Stored objects" nameWidth="long" className={clsx(countClass, "md:min-w-36")}>
        {count ? <StoredBounds stored={count.stored} isOvertaken={overtaken(count)} /> : <Dash word="unknown" />}
      </StackedCell>
      <StackedCell name="Last written as" nameWidth="long" className={countClass}>
        <Evidence count={count?.lastWrittenAs ?? null} text={LAST_WRITTEN} />
      </StackedCell>
      <StackedCell name="In managedFields" nameWidth="long" className={countClass}>
        <Evidence count={count?.managedFieldsAs ?? null} text={IN_MANAGED_FIELDS} />
      </StackedCell>
    </>
  );
}

interface FactProps {
  name: string;
  on: boolean;
  yes: string;
  no?: string;
  /** The text below it. */
  children?: ReactNode;
}

function Fact({ name, on, yes, no, children }: FactProps) {
  return (
    <StackedCell name={name} nameWidth="short" className={clsx("md:whitespace-nowrap", on ? "text-ink" : "text-ink-soft")}>
      {on ? yes : (no ?? <Dash />)}
      {children ? <span className="block text-xs">{children}</span> : null}
    </StackedCell>
  );
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
