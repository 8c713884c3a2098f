import { CopyButton } from "./copy-button.tsx";

/** Verbatim text with a copy button; long lines wrap with an indent. */
export function CodeBlock({ text, copyLabel }: { text: string; copyLabel: string }) {
  return (
    <div className="flex items-start gap-2 rounded border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code dir="auto" className="min-w-0 flex-1 py-0.5 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {text.split("\n").map((line, index, lines) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal and never move
          <span key={index} className="block pl-6 -indent-6">
            {index < lines.length - 1 ? `${line}\n` : line}
          </span>
        ))}
      </code>
      <CopyButton text={text} label={copyLabel} />
    </div>
  );
}
