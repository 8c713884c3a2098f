import { clsx } from "clsx";
import type { Conversion } from "#lib/contract/conversion.ts";

type Finding = Conversion["findings"][number];

const looks: Record<Finding["severity"], { sign: string; word: string; colour: string }> = {
  fail: { sign: "✕", word: "fails", colour: "text-blocked" },
  warn: { sign: "▲", word: "warning", colour: "text-warning" },
  info: { sign: "·", word: "note", colour: "text-ink-soft" },
};

/** What a look at the definition brings up, the gravest first, each with what to do. */
export function ConversionFindings({ findings }: { findings: Finding[] }) {
  return (
    <ul aria-label="Findings" className="flex max-w-3xl flex-col divide-y divide-line border-y border-line text-sm">
      {findings.map(({ severity, message, nextStep }) => (
        <li key={message} className="flex flex-wrap gap-x-3 gap-y-0.5 py-2">
          <span className={clsx("w-20 shrink-0 font-medium", looks[severity].colour)}>
            <span aria-hidden>{looks[severity].sign}</span> {looks[severity].word}
          </span>
          <div className="min-w-56 flex-1 [overflow-wrap:anywhere]">
            <p dir="auto">{message}</p>
            <p className="text-ink-soft">{nextStep}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
