import { clsx } from "clsx";
import type { ReactNode } from "react";

interface Props {
  label: string;
  columns: DataColumn[];
  /** Shows rows as blocks on narrow screens; use a StackedCell for each cell. */
  stacks?: boolean;
  children: ReactNode;
}

/** A small table that scrolls sideways when it doesn't fit. */
export function DataTable({ label, columns, stacks = false, children }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div role="group" aria-label={`${label}, scrolls sideways`} tabIndex={0} className="relative overflow-x-auto">
      <table aria-label={label} className={clsx("w-full text-sm", stacks && "max-md:block")}>
        <thead className={stacks ? "max-md:sr-only" : undefined}>
          <tr className="border-b border-line text-xs text-ink-soft">
            {columns.map((column, index) => (
              <th
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
                key={index}
                scope="col"
                title={column.hint || undefined}
                className={clsx("h-8 px-2 font-medium whitespace-nowrap first:pl-0 last:pr-0", alignment(column))}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className={clsx("divide-y divide-line", stacks && "max-md:block")}>{children}</tbody>
      </table>
    </div>
  );
}

export interface DataColumn {
  name: string;
  numeric?: boolean;
  /** What the column holds, on hover. */
  hint?: string;
}

export function DataCell({ numeric = false, className, children }: { numeric?: boolean; className?: string; children: ReactNode }) {
  return (
    <td className={clsx("h-9 px-2 py-1.5 first:pl-0 last:pr-0", numeric ? "text-right whitespace-nowrap" : "text-left", className)}>
      {children}
    </td>
  );
}

function alignment(column: DataColumn): string {
  return column.numeric ? "text-right" : "text-left";
}
