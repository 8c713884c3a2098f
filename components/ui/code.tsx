"use client";

import { clsx } from "clsx";
import { Check, Copy } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { ScrollBox } from "./table.tsx";

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

/** Copies `text`; `label` is its accessible name. */
export function CopyButton({ text, label, className }: { text: string; label: string; className?: string }) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  useEffect(() => {
    if (copied === "no") return;
    const timer = setTimeout(() => setCopied("no"), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      className={clsx(
        "inline-flex h-6 shrink-0 items-center gap-1 rounded px-1.5 text-xs text-ink-soft hover:bg-line/60 hover:text-ink print:hidden",
        className,
      )}
    >
      {copied === "yes" ? <Check size={12} aria-hidden /> : <Copy size={12} aria-hidden />}
      <span role="status">{copied === "yes" ? "Copied" : copied === "failed" ? "Select to copy" : "Copy"}</span>
    </button>
  );
}

interface Props {
  label: string;
  text: string;
  copyLabel: string;
  /** Lines to mark; the first of them is scrolled to. */
  marked?: ReadonlySet<number>;
}

/** A long verbatim text in a scrolling box. */
export function CodePanel({ label, text, copyLabel, marked }: Props) {
  return (
    <div className="relative rounded border border-line bg-sunken">
      <CopyButton text={text} label={copyLabel} className="absolute top-1.5 right-3 z-1 bg-sunken" />
      <ScrollBox label={`${label}, scrolls`} className="max-h-[70vh] overflow-auto px-3 py-2">
        <pre className="font-mono text-xs leading-5">{marked?.size ? <MarkedText text={text} marked={marked} /> : text}</pre>
      </ScrollBox>
    </div>
  );
}

function MarkedText({ text, marked }: { text: string; marked: ReadonlySet<number> }) {
  const parts: { isMarked: boolean; lines: string[] }[] = [];
  for (const [number, line] of text.split("\n").entries()) {
    const isMarked = marked.has(number);
    const last = parts.at(-1);
    if (last?.isMarked === isMarked) last.lines.push(line);
    else parts.push({ isMarked, lines: [line] });
  }
  const first = parts.findIndex(({ isMarked }) => isMarked);
  return parts.map(({ isMarked, lines }, index) =>
    isMarked ? (
      <mark
        // biome-ignore lint/suspicious/noArrayIndexKey: parts may be alike, and stay where they are
        key={index}
        ref={index === first ? intoView : undefined}
        className={`-mx-3 block bg-transparent px-3 text-inherit ${markedClass}`}
      >
        {lines.join("\n")}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts may be alike, and stay where they are
      <span key={index} className="block">
        {lines.join("\n")}
      </span>
    ),
  );
}

/** A ref that scrolls to the element when it appears. One function for all, so that React doesn't call it again at each render. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "center" });
}

/** The look of marked lines: a bar at their start. */
export const markedClass = "shadow-[inset_2px_0_0_var(--color-ink)]";
