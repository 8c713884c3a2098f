"use client";

import { FlexRender, type Row, type SortingState, useTable } from "@tanstack/react-table";
import { clsx } from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";
import Link from "next/link";
import { memo, useMemo } from "react";
import { definitionHref } from "#components/hrefs.ts";
import { StateMark } from "#components/shared/marks.tsx";
import { CrdName } from "#components/shared/names.tsx";
import { totalText } from "#components/shared/object-total.tsx";
import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import { columnClass, fleetColumns, fleetFeatures } from "./fleet-columns.tsx";
import { useFleetRows } from "./use-fleet-rows.ts";
import { type SortKey, sortKeys } from "./use-fleet-view.ts";

/** The table of definitions. Only visible rows are rendered. */
export function FleetTable(props: {
  cluster: string;
  crds: CrdSummary[];
  sort: SortKey;
  desc: boolean;
  onSort: (sort: SortKey, desc: boolean) => void;
}) {
  const { cluster, crds, sort, desc, onSort } = props;
  const sorting = useMemo<SortingState>(() => [{ id: sort, desc }], [sort, desc]);
  const table = useTable({
    features: fleetFeatures,
    columns: fleetColumns,
    data: crds,
    getRowId: (crd) => crd.name,
    state: { sorting },
    enableSortingRemoval: false,
    onSortingChange: (update) => {
      const [next] = typeof update === "function" ? update(sorting) : update;
      const key = sortKeys.find((candidate) => candidate === next?.id);
      if (next && key) onSort(key, next.desc);
    },
  });
  const rows = table.getRowModel().rows;
  const { tableRef, items, before, after, onKeyDown } = useFleetRows(rows.length);
  return (
    <table ref={tableRef} aria-label="Definitions" aria-rowcount={rows.length + 1} className="w-full table-fixed text-sm">
      <thead className="sticky top-12 z-10 bg-page">
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id} aria-rowindex={1} className="h-8 text-xs shadow-[inset_0_-1px_0_var(--line)]">
            {group.headers.map(({ column }) => (
              <SortHeader
                key={column.id}
                className={columnClass(column.id)}
                title={String(column.columnDef.header)}
                sorted={column.getIsSorted()}
                onSort={column.getCanSort() ? () => column.toggleSorting() : null}
              />
            ))}
          </tr>
        ))}
      </thead>
      <tbody onKeyDown={onKeyDown}>
        <Spacer height={before} />
        {items.map(({ index }) => {
          const row = rows[index];
          return row ? <FleetRow key={row.id} cluster={cluster} row={row} index={index} /> : null;
        })}
        <Spacer height={after} />
      </tbody>
    </table>
  );
}

function Spacer({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden>
      {/* One cell only: in a fixed layout, colSpan would reserve space for columns hidden on narrow screens. */}
      <td style={{ height, padding: 0 }} />
    </tr>
  ) : null;
}

/** A column's header; a button if the column is sortable. */
function SortHeader(props: { title: string; sorted: "asc" | "desc" | false; onSort: (() => void) | null; className: string }) {
  const { title, sorted, onSort, className } = props;
  if (!onSort) {
    return (
      <th scope="col" className={clsx(className, "font-medium text-ink-soft")}>
        {title}
      </th>
    );
  }
  return (
    <th scope="col" aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"} className={className}>
      <button
        type="button"
        onClick={onSort}
        className={clsx("inline-flex items-center gap-1 font-medium hover:text-ink", sorted ? "text-ink" : "text-ink-soft")}
      >
        {title}
        {sorted === "asc" ? <ArrowUp size={12} aria-hidden /> : null}
        {sorted === "desc" ? <ArrowDown size={12} aria-hidden /> : null}
      </button>
    </th>
  );
}

interface FleetRowProps {
  cluster: string;
  row: Row<typeof fleetFeatures, CrdSummary>;
  index: number;
}

/** One definition. The link covers the whole row; hints are layered above it. */
const FleetRow = memo(function FleetRow({ cluster, row, index }: FleetRowProps) {
  const crd = row.original;
  return (
    <tr aria-rowindex={index + 2} className="relative h-15 border-b border-line hover:bg-sunken md:h-9">
      <th scope="row" className={clsx(columnClass("name"), "font-normal")}>
        <Link
          href={definitionHref(cluster, crd.name)}
          prefetch={false}
          data-row-index={index}
          title={`${crd.name} (${crd.kind})`}
          className="block truncate after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-ink"
        >
          <CrdName plural={crd.plural} group={crd.group} />
        </Link>
        <NarrowFacts crd={crd} />
      </th>
      {row.getAllCells().map((cell) =>
        cell.column.id === "name" ? null : (
          <td key={cell.id} className={clsx(columnClass(cell.column.id), "[&>button]:relative [&>button]:z-1")}>
            <FlexRender cell={cell} />
          </td>
        ),
      )}
    </tr>
  );
});

/** The other columns in one line, for narrow screens. */
function NarrowFacts({ crd }: { crd: CrdSummary }) {
  return (
    <span className="flex min-w-0 items-center gap-2 text-xs text-ink-soft md:hidden">
      <StateMark state={crd.state} />
      {crd.leftoverVersions.length > 0 ? (
        <span className="min-w-0 truncate font-mono">
          {crd.leftoverVersions[0]}
          {crd.leftoverVersions.length > 1 ? ` +${crd.leftoverVersions.length - 1}` : ""} → {crd.storageVersion}
        </span>
      ) : null}
      <span className="ml-auto whitespace-nowrap">
        {totalText(crd.objects)}
        <span className="sr-only"> objects</span>
      </span>
    </span>
  );
}
