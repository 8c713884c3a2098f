import { clsx } from "clsx";
import type { ReactNode } from "react";

const gridColumns = {
  short: "max-md:grid-cols-[4.25rem_minmax(0,1fr)]",
  middle: "max-md:grid-cols-[6rem_minmax(0,1fr)]",
  long: "max-md:grid-cols-[7.5rem_minmax(0,1fr)]",
};

interface Props {
  /** Its column's. */
  name: string;
  nameWidth?: keyof typeof gridColumns;
  className?: string | undefined;
  children: ReactNode;
}

/** A table's cell that stands in a line of its own on a narrow screen, where no head is shown, and then says its column's name. */
export function StackedCell({ name, nameWidth = "middle", className, children }: Props) {
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
