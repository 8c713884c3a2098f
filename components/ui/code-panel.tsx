import { CopyButton } from "./copy-button.tsx";

/** A long verbatim text in a scrolling box. */
export function CodePanel({ label, text, copyLabel }: { label: string; text: string; copyLabel: string }) {
  return (
    <div className="relative rounded border border-line bg-sunken">
      <CopyButton text={text} label={copyLabel} className="absolute top-1.5 right-3 bg-sunken" />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls */}
      <div
        role="group"
        aria-label={`${label}, scrolls`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className="max-h-[70vh] overflow-auto px-3 py-2"
      >
        <pre className="font-mono text-xs leading-5">{text}</pre>
      </div>
    </div>
  );
}
