import { ScrollBox } from "#components/ui/table/scroll-box.tsx";
import { CopyButton } from "./copy-button.tsx";

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
