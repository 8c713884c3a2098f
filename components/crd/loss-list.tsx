import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import type { Loss } from "#lib/domain/losses.ts";
import { LossMark } from "./loss-mark.tsx";
import { worstFirst } from "./worst-first.ts";

/** Losses, briefly: kind, path and in how many objects. `more` paths are not listed. */
export function LossList({
  label,
  losses,
  more,
}: {
  label: string;
  losses: readonly Pick<Loss, "kind" | "path" | "objects">[];
  more: number;
}) {
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line text-sm">
      {worstFirst(losses).map(({ kind, path, objects }) => (
        <li key={`${kind} ${path}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-1.5">
          <span className="w-32 shrink-0">
            <LossMark kind={kind} />
          </span>
          <code className="min-w-40 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{path}</code>
          <span className="whitespace-nowrap text-ink-soft">{formatCountOf(objects, "object")}</span>
        </li>
      ))}
      {more > 0 ? <li className="py-1.5 text-ink-soft">and {formatCount(more)} more paths</li> : null}
    </ul>
  );
}
