import { createColumnHelper, createSortedRowModel, rowSortingFeature, tableFeatures } from "@tanstack/react-table";
import { ObjectTotal } from "#components/crd/object-total.tsx";
import type { CrdSummary } from "#lib/contract/crd.ts";
import { crdStates } from "#lib/domain/crd-state.ts";
import { StateCell } from "./state-cell.tsx";
import { StoredCell } from "./stored-cell.tsx";
import { VersionsCell } from "./versions-cell.tsx";

export const fleetFeatures = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

const column = createColumnHelper<typeof fleetFeatures, CrdSummary>();

/** The columns after the name, which is the row's header and link. */
export const fleetColumns = column.columns([
  column.accessor("name", {
    header: "Name",
    sortDescFirst: false,
    sortFn: (a, b) => (a.original.name < b.original.name ? -1 : 1),
  }),
  column.display({ id: "versions", header: "Versions, by priority", cell: ({ row }) => <VersionsCell crd={row.original} /> }),
  column.display({ id: "stored", header: "Stored", cell: ({ row }) => <StoredCell crd={row.original} /> }),
  column.accessor((crd) => crd.objects.total ?? undefined, {
    id: "objects",
    header: "Objects",
    sortDescFirst: true,
    sortUndefined: "last",
    sortFn: (a, b) => (a.original.objects.total ?? 0) - (b.original.objects.total ?? 0),
    cell: ({ row }) => <ObjectTotal objects={row.original.objects} />,
  }),
  column.accessor("state", {
    header: "State",
    sortDescFirst: false,
    sortFn: (a, b) => crdStates.indexOf(a.original.state) - crdStates.indexOf(b.original.state),
    cell: ({ row }) => <StateCell crd={row.original} />,
  }),
]);
