import { clsx } from "clsx";
import { ArrowDown, ArrowUp } from "lucide-react";

/** A column's header; a button where the column can be sorted by. */
export function SortHeader(props: { title: string; sorted: "asc" | "desc" | false; onSort: (() => void) | null; className: string }) {
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
