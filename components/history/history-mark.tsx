import { clsx } from "clsx";
import type { HistoryKind } from "#lib/domain/history.ts";

const looks: Record<HistoryKind, { sign: string; word: string; colour?: string }> = {
  started: { sign: "▸", word: "rewrite started" },
  paused: { sign: "‖", word: "paused", colour: "text-warning" },
  resumed: { sign: "▸", word: "resumed" },
  limited: { sign: "·", word: "rate changed" },
  succeeded: { sign: "✓", word: "rewrite succeeded", colour: "text-good" },
  blocked: { sign: "■", word: "rewrite blocked", colour: "text-blocked" },
  cancelled: { sign: "–", word: "rewrite cancelled" },
  interrupted: { sign: "▲", word: "rewrite interrupted", colour: "text-warning" },
  failed: { sign: "✕", word: "rewrite failed", colour: "text-blocked" },
  pruned: { sign: "✂", word: "pruned", colour: "text-ready" },
  restored: { sign: "↶", word: "versions put back", colour: "text-warning" },
  changed: { sign: "◇", word: "version changed" },
  removed: { sign: "✂", word: "version removed", colour: "text-ready" },
  readded: { sign: "↶", word: "version put back", colour: "text-warning" },
  unconverted: { sign: "✂", word: "webhook dropped", colour: "text-ready" },
  reconverted: { sign: "↶", word: "webhook put back", colour: "text-warning" },
  cleaned: { sign: "↺", word: "managedFields cleaned" },
  justified: { sign: "✎", word: "reason given" },
  "dry-run": { sign: "◌", word: "dry run" },
  proven: { sign: "✓", word: "proof", colour: "text-good" },
  other: { sign: "·", word: "other" },
};

/** What happened: a sign and its words. */
export function HistoryMark({ kind }: { kind: HistoryKind }) {
  const { sign, word, colour } = looks[kind];
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <span aria-hidden className="inline-block w-3 text-center">
        {sign}
      </span>
      {word}
    </span>
  );
}
