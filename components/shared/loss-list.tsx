import { clsx } from "clsx";
import { Hint } from "#components/ui/hint.tsx";
import { Time } from "#components/ui/time.tsx";
import { acceptedWords } from "#lib/domain/losses/accepted-words.ts";
import {
  formatLosing,
  formatMorePaths,
  holdsBack,
  type Loss,
  type LossExample,
  type LossKind,
  lossValues,
  lossWords,
  worstFirst,
} from "#lib/domain/losses/losses.ts";
import { type Sample, sampleWords } from "#lib/domain/losses/sample-of.ts";
import type { AcceptedLosses as Accepted } from "#lib/domain/rewrite/run.ts";

interface ListedLoss extends Pick<Loss, "kind" | "path" | "objects"> {
  examples?: readonly LossExample[];
}

interface LossListProps {
  label: string;
  losses: readonly ListedLoss[];
  /** Paths that are not listed. */
  more: number;
  /** What was checked, if not all objects were. */
  sample: Sample | null;
}

/** Losses in brief: kind, path, number of objects, and the values of an example where they are known. */
export function LossList({ label, losses, more, sample }: LossListProps) {
  return (
    <ul aria-label={label} className="flex flex-col divide-y divide-line text-sm">
      {worstFirst(losses).map(({ kind, path, objects, examples: [example] = [] }) => (
        <li key={`${kind} ${path}`} className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-1.5">
          <span className="w-32 shrink-0">
            <LossMark kind={kind} />
          </span>
          <span className="flex min-w-40 flex-1 flex-wrap gap-x-3 font-mono text-xs [overflow-wrap:anywhere]">
            <code>{path}</code>
            {example ? <span className="text-ink-soft">{lossValues(example)}</span> : null}
          </span>
          <span className="whitespace-nowrap text-ink-soft">{formatLosing(objects, sample)}</span>
        </li>
      ))}
      {more > 0 ? (
        <li className="py-1.5 text-ink-soft">
          {losses.length > 0 ? "and " : ""}
          {formatMorePaths(more)}
        </li>
      ) : null}
      {sample ? <li className="py-1.5 text-ink-soft">Sample: {sampleWords(sample)}</li> : null}
    </ul>
  );
}

const signs: Record<LossKind, string> = { dropped: "−", changed: "≠", "managed-fields": "−", defaulted: "+", equivalent: "=" };

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

/** The losses that were accepted, by whom and when. */
export function AcceptedLosses({ accepted }: { accepted: Accepted }) {
  const { by, at, losses, more, sample } = accepted;
  const { brief, unlisted } = acceptedWords(accepted);
  return (
    <details>
      <summary className="text-ink">
        <span className="text-warning">{brief}</span>, by {by}, <Time at={at} />
      </summary>
      <div className="max-w-2xl pt-1">
        {losses.length > 0 ? <LossList label="Accepted losses" losses={losses} more={more} sample={sample} /> : null}
        {unlisted === null ? null : <p className="text-ink-soft">{unlisted}</p>}
      </div>
    </details>
  );
}
