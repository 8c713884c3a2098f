"use client";

import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useMemo } from "react";
import { RetryNotice } from "#components/shared/api-error-notice.tsx";
import { CopyButton, intoView, markedClass } from "#components/ui/code.tsx";
import { Button } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { ScrollBox } from "#components/ui/table.tsx";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { escapedJson } from "#lib/domain/wording/quoted.ts";
import { customObjectQuery } from "#lib/queries/objects/object-queries.ts";
import { type LineDiff, lineDiff, rowsAtPath } from "./object-lines.ts";
import { ObjectText } from "./object-text.tsx";
import { RowsSkeleton } from "./rows-skeleton.tsx";

interface ObjectBesideProps {
  cluster: string;
  crd: string;
  shown: CustomObject;
  /** The second version to show it at. */
  beside: string;
  /** The path to mark and scroll to. */
  at: string | null;
  onReadAgain: () => void;
}

/** The object at the shown version and at another one. */
export function ObjectBeside({ cluster, crd, shown, beside, at, onReadAgain }: ObjectBesideProps) {
  const { data, error, isFetching, refetch } = useQuery(customObjectQuery(cluster, crd, shown, beside));
  if (error) return <RetryNotice {...{ error, isFetching, refetch }} />;
  if (!data) return <RowsSkeleton />;
  const readBoth = () => {
    onReadAgain();
    void refetch();
  };
  return (
    <div className="flex flex-col gap-3">
      {data.resourceVersion === shown.resourceVersion ? null : (
        <Notice tone="warning" title="The object changed between the two reads">
          <p>Some differences may not come from the conversion.</p>
          <Button onClick={readBoth} disabled={isFetching}>
            Read both again
          </Button>
        </Notice>
      )}
      <SideBySide cluster={cluster} crd={crd} left={shown} right={data} at={at} />
    </div>
  );
}

interface Props {
  cluster: string;
  crd: string;
  left: CustomObject;
  right: CustomObject;
  /** The path to mark and scroll to. */
  at: string | null;
}

const NONE: ReadonlySet<number> = new Set();

/** One object at two versions with differing lines marked, in one column on a narrow screen; unmarked if the diff gives up. */
function SideBySide({ cluster, crd, left, right, at }: Props) {
  const [leftText, rightText] = [left.text, right.text];
  const diff = useMemo(() => (leftText === null || rightText === null ? null : lineDiff(leftText, rightText)), [leftText, rightText]);
  const marked = useMemo(
    () => (diff && at !== null ? rowsAtPath(diff.rows, leftText ?? "", rightText ?? "", at) : NONE),
    [diff, leftText, rightText, at],
  );
  if (!diff) {
    return (
      <div className="flex flex-col gap-2">
        <p className="text-sm text-ink-soft">Too long or too different to compare line by line, so differences aren't marked.</p>
        <div className="grid gap-4 md:grid-cols-2">
          {[left, right].map((object) => (
            <div key={object.version} className="min-w-0">
              <h3 className="pb-1 font-mono text-xs font-medium [overflow-wrap:anywhere]">{object.version}</h3>
              <ObjectText
                {...{ cluster, crd, object, at }}
                label={`The object at ${object.version}`}
                copyLabel={`Copy the object at ${object.version}`}
              />
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
        {at !== null && marked.size === 0 ? ` Neither has ${at} now.` : null}
      </p>
      <ScrollBox label="Both versions, scrolls" className="max-h-[70vh] overflow-auto rounded border border-line bg-sunken">
        <LineTable left={left} right={right} marked={marked} diff={diff} />
      </ScrollBox>
    </div>
  );
}

function LineTable({ left, right, marked, diff }: Pick<Props, "left" | "right"> & { marked: ReadonlySet<number>; diff: LineDiff }) {
  const [first] = marked;
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
                <CopyButton text={text ?? ""} label={`Copy the object at ${version}`} className="font-sans" />
              </span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:block">
        {diff.rows.map((row, index) => (
          <tr
            // biome-ignore lint/suspicious/noArrayIndexKey: lines may be alike, and stay where they are
            key={index}
            ref={index === first ? intoView : undefined}
            aria-current={marked.has(index) ? "location" : undefined}
            className={clsx("max-md:block", marked.has(index) && markedClass)}
          >
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
  const shown = escapedJson(text);
  if (only === null) return <td className={repeated ? `${look} max-md:hidden` : look}>{shown}</td>;
  return (
    <td className={clsx(look, "-indent-4 bg-warning-wash")}>
      <span aria-hidden className="inline-block w-4 indent-0 text-warning select-none">
        {sign}
      </span>
      <span className="sr-only">only at {only}: </span>
      {shown}
    </td>
  );
}
