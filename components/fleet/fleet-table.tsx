"use client";

import { type SortingState, useTable } from "@tanstack/react-table";
import { useMemo } from "react";
import type { CrdSummary } from "#lib/contract/crd.ts";
import { columnClass } from "./column-class.ts";
import { fleetColumns, fleetFeatures } from "./fleet-columns.tsx";
import { FleetRow } from "./fleet-row.tsx";
import { SortHeader } from "./sort-header.tsx";
import { useFleetRows } from "./use-fleet-rows.ts";
import { type SortKey, sortKeys } from "./use-fleet-view.ts";

/** The definitions as a table of which only the rows on screen exist. */
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
      {/* One cell only: in a fixed layout a colSpan would make room for columns that a narrow screen hides. */}
      <td style={{ height, padding: 0 }} />
    </tr>
  ) : null;
}
