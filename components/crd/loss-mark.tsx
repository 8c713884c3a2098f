import { clsx } from "clsx";
import { Hint } from "#components/ui/hint.tsx";
import { holdsBack, type LossKind } from "#lib/domain/losses.ts";
import { lossWords } from "./loss-words.ts";

const signs: Record<LossKind, string> = { dropped: "−", changed: "≠", "managed-fields": "−", defaulted: "+" };

/** The kind of a loss: a sign and its word, explained on demand. */
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
