import { clsx } from "clsx";
import { Hint } from "#components/ui/hint.tsx";
import { lossWords } from "#lib/domain/losses/loss-words.ts";
import { holdsBack, type Loss, type LossKind } from "#lib/domain/losses/losses.ts";
import { worstFirst } from "#lib/domain/losses/worst-first.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** Losses in brief: kind, path and number of objects. `more` paths are not listed. */
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

const signs: Record<LossKind, string> = { dropped: "−", changed: "≠", "managed-fields": "−", defaulted: "+" };

/** A loss's kind: its sign and label, with an explanation on hover. */
export function LossMark({ kind }: { kind: LossKind }) {
  const { word, meaning } = lossWords[kind];
  return (
    <Hint
      text={meaning}
      className={clsx("inline-flex items-center gap-1.5 whitespace-nowrap", holdsBack(kind) ? "text-warning" : "text-ink-soft")}
    >
      <span aria-hidden className="inline-block w-2 text-center font-mono">
        {signs[kind]}
      </span>
      {word}
    </Hint>
  );
}
