import { clsx } from "clsx";
import type { ReactNode } from "react";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { Hint } from "./hint.tsx";

/** A name and value in a heading's list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

interface Props {
  name: string;
  /** Null means unknown, not 0. */
  count: number | null;
  /** What is counted. */
  text: string;
  /** The color of a nonzero number. */
  tone?: "plain" | "blocked" | "warning";
}

const colours = { plain: null, blocked: "text-blocked", warning: "text-warning" };

/** A number above its name, for use in a `<dl>`. */
export function Outcome({ name, count, text, tone = "plain" }: Props) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className={clsx("text-lg font-semibold", count ? colours[tone] : null)}>
        <Hint text={text}>{count === null ? "unknown" : formatCount(count)}</Hint>
      </dd>
    </div>
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
