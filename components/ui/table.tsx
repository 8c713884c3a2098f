"use client";

import { clsx } from "clsx";
import { type ReactNode, useEffect, useRef, useState } from "react";

interface Props {
  label: string;
  columns: DataColumn[];
  /** Shows rows as blocks on narrow screens; use a StackedCell for each cell. */
  stacks?: boolean;
  children: ReactNode;
}

/** A small table that scrolls sideways when it doesn't fit. */
export function DataTable(props: Props) {
  return (
    <ScrollBox label={`${props.label}, scrolls sideways`} className="overflow-x-auto">
      <Table {...props} />
    </ScrollBox>
  );
}

/** A small table that always fits, for cells that wrap. */
export function Table({ label, columns, stacks = false, children }: Props) {
  const isFixed = columns.some(({ width }) => width);
  return (
    <table aria-label={label} className={clsx("w-full text-sm", isFixed && "table-fixed", stacks && "max-md:block")}>
      <thead className={stacks ? "max-md:sr-only" : undefined}>
        <tr className="border-b border-line text-xs text-ink-soft">
          {columns.map((column, index) => (
            <th
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
              key={index}
              scope="col"
              title={column.hint || undefined}
              className={clsx("h-8 px-2 font-medium whitespace-nowrap first:pl-0 last:pr-0", column.width, alignment(column))}
            >
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className={clsx("divide-y divide-line", stacks && "max-md:block")}>{children}</tbody>
    </table>
  );
}

interface DataColumn {
  name: string;
  numeric?: boolean;
  /** What the column holds, on hover. */
  hint?: string;
  /** A width class. Once a column has one, those without share the rest evenly, whatever they hold. */
  width?: string;
}

export function DataCell({ numeric = false, className, children }: { numeric?: boolean; className?: string; children: ReactNode }) {
  return (
    <td className={clsx("h-9 px-2 py-1.5 first:pl-0 last:pr-0", numeric ? "text-right whitespace-nowrap" : "text-left", className)}>
      {children}
    </td>
  );
}

const gridColumns = {
  short: "max-md:grid-cols-[4.25rem_minmax(0,1fr)]",
  middle: "max-md:grid-cols-[6rem_minmax(0,1fr)]",
  long: "max-md:grid-cols-[7.5rem_minmax(0,1fr)]",
};

interface StackedCellProps {
  /** The column's name. */
  name: string;
  nameWidth?: keyof typeof gridColumns;
  className?: string | undefined;
  children: ReactNode;
}

/** A table cell that becomes a line with its column's name on narrow screens, where the header is hidden. */
export function StackedCell({ name, nameWidth = "middle", className, children }: StackedCellProps) {
  return (
    <td
      className={clsx(
        "px-2 py-1.5 [overflow-wrap:anywhere] last:pr-0 max-md:grid max-md:gap-x-2 max-md:px-0 max-md:py-0.5",
        gridColumns[nameWidth],
        className,
      )}
    >
      <span aria-hidden className="text-xs leading-5 text-ink-soft md:hidden">
        {name}
      </span>
      <div>{children}</div>
    </td>
  );
}

function alignment(column: DataColumn): string {
  return column.numeric ? "text-right" : "text-left";
}

/** A box that scrolls, by keyboard too. A shadow at an edge says that there is more behind it. */
export function ScrollBox({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const [hidden, setHidden] = useState({ left: false, right: false });
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      // Fractions of a pixel are rounding.
      const [left, right] = [scrollLeft > 1, scrollLeft + clientWidth < scrollWidth - 1];
      setHidden((old) => (old.left === left && old.right === right ? old : { left, right }));
    };
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const sizes = new ResizeObserver(measure);
    for (const resized of [element, ...element.children]) sizes.observe(resized);
    return () => {
      element.removeEventListener("scroll", measure);
      sizes.disconnect();
    };
  }, []);
  return (
    <div className="relative">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls */}
      <div
        ref={box}
        role="group"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className={`relative ${className}`}
      >
        {children}
      </div>
      {hidden.left ? <span aria-hidden className={`${edgeClass} left-0 bg-linear-to-r`} /> : null}
      {hidden.right ? <span aria-hidden className={`${edgeClass} right-0 bg-linear-to-l`} /> : null}
    </div>
  );
}

const edgeClass = "pointer-events-none absolute inset-y-0 w-4 from-ink/20 to-transparent print:hidden";

/** The first `most` items of a list until `unfold` is called; `folded` counts the hidden ones. */
export function useFold<Item>(items: readonly Item[], most: number): { shown: readonly Item[]; folded: number; unfold: () => void } {
  const [isUnfolded, setUnfolded] = useState(false);
  const shown = isUnfolded ? items : items.slice(0, most);
  return { shown, folded: items.length - shown.length, unfold: () => setUnfolded(true) };
}
