"use client";

import { clsx } from "clsx";
import { useMemo } from "react";
import { CodePanel } from "#components/ui/code-panel.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { type LineDiff, lineDiff } from "./line-diff.ts";

interface Props {
  left: CustomObject;
  right: CustomObject;
}

/** One object at two versions with differing lines marked, in one column on a narrow screen; unmarked if the diff gives up. */
export function SideBySide({ left, right }: Props) {
  const diff = useMemo(() => lineDiff(left.text, right.text), [left.text, right.text]);
  if (!diff) {
    return (
      <div className="flex flex-col gap-2">
        <p className="text-sm text-ink-soft">Too long or too different to compare line by line, so differences aren't marked.</p>
        <div className="grid gap-4 md:grid-cols-2">
          {[left, right].map(({ version, text }) => (
            <div key={version} className="min-w-0">
              <h3 className="pb-1 font-mono text-xs font-medium [overflow-wrap:anywhere]">{version}</h3>
              <CodePanel label={`The object at ${version}`} text={text} copyLabel={`Copy the object at ${version}`} />
            </div>
          ))}
        </div>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm">
        {diff.onlyLeft + diff.onlyRight === 0
          ? "No differences."
          : `${formatCountOf(diff.onlyLeft, "line")} only at ${left.version}, ${formatCountOf(diff.onlyRight, "line")} only at ${right.version}; the rest is the same.`}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls */}
      <div
        role="group"
        aria-label="Both versions, scrolls"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be in reach of the keyboard
        tabIndex={0}
        className="relative max-h-[70vh] overflow-auto rounded border border-line bg-sunken"
      >
        <LineTable left={left} right={right} diff={diff} />
      </div>
    </div>
  );
}

function LineTable({ left, right, diff }: Props & { diff: LineDiff }) {
  return (
    <table
      aria-label={`The object at ${left.version} and at ${right.version}`}
      className="w-full border-collapse font-mono text-xs leading-5 max-md:block md:min-w-[44rem] md:table-fixed"
    >
      <thead className="max-md:sticky max-md:top-0 max-md:block">
        <tr className="max-md:block">
          {[
            { ...left, sign: "−" },
            { ...right, sign: "+" },
          ].map(({ version, text, sign }) => (
            <th
              key={version}
              scope="col"
              className="border-b border-line bg-sunken px-3 py-1 text-left font-medium max-md:block md:sticky md:top-0"
            >
              <span className="flex items-center justify-between gap-2">
                <span className="min-w-0 [overflow-wrap:anywhere]">
                  <span aria-hidden className="inline-block w-4 text-warning md:hidden">
                    {sign}
                  </span>
                  {version}
                </span>
                <CopyButton text={text} label={`Copy the object at ${version}`} className="font-sans" />
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:block">
        {diff.rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines may be alike, and stay where they are
          <tr key={index} className="max-md:block">
            <Line text={row.left} sign="−" only={row.differs ? left.version : null} />
            <Line text={row.right} sign="+" only={row.differs ? right.version : null} repeated={!row.differs} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface LineProps {
  text: string | null;
  sign: string;
  /** The only version that has this line; null if both have it. */
  only: string | null;
  /** The second of two equal lines, hidden on a narrow screen. */
  repeated?: boolean;
}

function Line({ text, sign, only, repeated = false }: LineProps) {
  const look = "pr-3 pl-7 align-top whitespace-pre-wrap [overflow-wrap:anywhere] max-md:block";
  if (text === null) return <td className="bg-line/40 max-md:hidden" />;
  if (only === null) return <td className={repeated ? `${look} max-md:hidden` : look}>{text}</td>;
  return (
    <td className={clsx(look, "-indent-4 bg-warning-wash")}>
      <span aria-hidden className="inline-block w-4 indent-0 text-warning select-none">
        {sign}
      </span>
      <span className="sr-only">only at {only}: </span>
      {text}
    </td>
  );
}
