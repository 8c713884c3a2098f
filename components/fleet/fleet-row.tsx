import { FlexRender, type Row } from "@tanstack/react-table";
import { clsx } from "clsx";
import Link from "next/link";
import { memo } from "react";
import { CrdName } from "#components/crd/crd-name.tsx";
import { totalText } from "#components/crd/object-total.tsx";
import { StateMark } from "#components/crd/state-mark.tsx";
import { definitionHref } from "#components/shell/hrefs.ts";
import type { CrdSummary } from "#lib/contract/crd.ts";
import { columnClass } from "./column-class.ts";
import type { fleetFeatures } from "./fleet-columns.tsx";

interface FleetRowProps {
  cluster: string;
  row: Row<typeof fleetFeatures, CrdSummary>;
  index: number;
}

/** One definition. The link covers the row; hints lie above it. */
export const FleetRow = memo(function FleetRow({ cluster, row, index }: FleetRowProps) {
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

/** The other columns in one line, where there is no room for columns. */
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
