import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** Verbatim text with a copy button; long lines wrap with an indent, but not within a flag. */
export function CodeBlock({ text, copyLabel }: { text: string; copyLabel: string }) {
  return (
    <div className="flex items-start gap-2 rounded border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code dir="auto" className="min-w-0 flex-1 py-0.5 font-mono text-xs leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap">
        {text.split("\n").map((line, index, lines) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines may be equal and never move
          <span key={index} className="block pl-6 -indent-6">
            {unbrokenFlags(line)}
            {index < lines.length - 1 ? "\n" : null}
          </span>
        ))}
      </code>
      <CopyButton text={text} label={copyLabel} />
    </div>
  );
}

/** Longer flags wrap, so that they fit a narrow screen. */
const FLAG = /((?:^|(?<=\s))--?[a-z][\w-]*(?:=\S{0,16})?(?=\s|$))/;

function unbrokenFlags(line: string): ReactNode {
  return line.split(FLAG).map((part, index) =>
    // Odd parts are the flags.
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts may be equal and never move
      <span key={index} className="whitespace-nowrap">
        {part}
      </span>
    ),
  );
}
