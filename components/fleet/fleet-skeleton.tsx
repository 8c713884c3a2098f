import { clsx } from "clsx";
import { columnClass } from "./column-class.ts";

const rows = Array.from({ length: 14 }, (_, index) => index);
const nameWidths = ["w-64", "w-48", "w-56", "w-40", "w-60"];

/** The table before its first answer: the same rows, empty. */
export function FleetSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the definitions…</span>
      <table aria-hidden className="w-full table-fixed text-sm">
        <thead>
          <tr className="h-8 border-b border-line text-xs text-ink-soft">
            <th className={clsx(columnClass("name"), "font-medium")}>Name</th>
            <th className={clsx(columnClass("versions"), "font-medium")}>Versions, by priority</th>
            <th className={clsx(columnClass("stored"), "font-medium")}>Stored</th>
            <th className={clsx(columnClass("objects"), "font-medium")}>Objects</th>
            <th className={clsx(columnClass("state"), "font-medium")}>State</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row} className="h-15 border-b border-line md:h-9">
              <td className={columnClass("name")}>
                <span className={clsx("skeleton block h-3 max-w-full", nameWidths[row % nameWidths.length])} />
              </td>
              <td className={columnClass("versions")}>
                <span className="skeleton block h-3 w-28" />
              </td>
              <td className={columnClass("stored")}>
                <span className="skeleton block h-3 w-16" />
              </td>
              <td className={columnClass("objects")}>
                <span className="skeleton ml-auto block h-3 w-10" />
              </td>
              <td className={columnClass("state")}>
                <span className="skeleton block h-3 w-48 max-w-full" />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
