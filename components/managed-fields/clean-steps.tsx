"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useEffect } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ObjectLink } from "#components/shared/object-link.tsx";
import { RejectionList } from "#components/shared/rejection-list.tsx";
import { Button, buttonClass } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { type CleaningStep, useCleaning } from "#lib/queries/objects/object-queries.ts";

/** First a preview, then on request the change; each with progress and outcome. */
export function CleanSteps({ cluster, crd, version }: { cluster: string; crd: string; version: string }) {
  const { step, run, stop } = useCleaning(cluster, crd, version);
  useEffect(() => {
    void run(true);
  }, [run]);
  if (!step) return null;
  const { cleaning, dryRun, at, error } = step;
  const found = cleaning ? changedBy(cleaning) : 0;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-2">
        <p role="status">{cleaningText(step)}</p>
        <ProgressBar label="Objects checked" done={cleaning?.scanned ?? 0} total={cleaning?.total ?? null} idle={at !== "work"} />
      </div>
      {error ? <ApiErrorNotice error={error} /> : null}
      {cleaning?.warning ? <Notice tone="warning" title={cleaning.warning} /> : null}
      {cleaning && cleaning.examples.length > 0 ? <CleanExamples cluster={cluster} crd={crd} examples={cleaning.examples} /> : null}
      {cleaning && cleaning.rejections.length > 0 ? (
        <RejectionList cluster={cluster} crd={crd} label="Rejections" rejections={cleaning.rejections} />
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        {at === "work" ? <Button onClick={stop}>{dryRun ? "Stop preview" : "Stop"}</Button> : null}
        {at === "stopped" && dryRun ? <Button onClick={() => run(true)}>Preview again</Button> : null}
        {at === "work" && !dryRun ? null : <Dialog.Close className={buttonClass("quiet")}>Close</Dialog.Close>}
        {dryRun && at === "end" && found > 0 ? (
          <Button weight="primary" onClick={() => run(false)}>
            Clean {formatCountOf(found, "object")}
          </Button>
        ) : null}
        {!dryRun && at === "stopped" ? (
          <Button weight="primary" onClick={() => run(false)}>
            Continue
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** The progress or outcome in one sentence. */
export function cleaningText({ cleaning, dryRun, at }: Pick<CleaningStep, "cleaning" | "dryRun" | "at">): string {
  if (!cleaning) return at === "work" ? "Reading objects…" : "Stopped before reading any object.";
  const looked = `${formatCount(cleaning.scanned)}${cleaning.total === null ? "" : ` of ${formatCount(cleaning.total)}`}`;
  switch (at) {
    case "work":
      return dryRun
        ? `Previewing: ${looked} checked, ${formatCount(changedBy(cleaning))} to clean.`
        : `${formatCount(changedBy(cleaning))} cleaned, ${looked} checked.`;
    case "stopped":
      return dryRun
        ? `Stopped after ${looked}. Nothing changed.`
        : `Stopped after ${looked}. ${formatCountOf(changedBy(cleaning), "object")} cleaned; those changes stay.`;
    case "end":
      return endText(cleaning, dryRun);
    default:
      return at satisfies never;
  }
}

/** Objects that it writes. */
function changedBy({ cleaned, takenBack }: Cleaning): number {
  return cleaned + takenBack;
}

function endText(cleaning: Cleaning, dryRun: boolean): string {
  const { scanned, takenBack, gone, rejected } = cleaning;
  const changed = changedBy(cleaning);
  if (changed + rejected === 0) return `Nothing ${dryRun ? "to clean" : "was cleaned"} in ${formatCountOf(scanned, "object")}.`;
  const verb = dryRun ? "would change" : "cleaned";
  const rest = [
    takenBack > 0 ? `${formatCount(takenBack)} ${dryRun ? "would lose" : "lost"} only crdshift's own entry` : null,
    rejected > 0 ? `${formatCount(rejected)} ${dryRun ? "would be" : rejected === 1 ? "was" : "were"} rejected` : null,
    gone > 0 ? `${formatCount(gone)} deleted meanwhile` : null,
  ].filter((part) => part !== null);
  return `${formatCount(changed)} of ${formatCountOf(scanned, "object")} ${verb}${rest.length > 0 ? `; ${rest.join(", ")}` : ""}.`;
}

const SHOWN = 3;

type Entry = Cleaning["examples"][number]["before"][number];

/** The entries of some objects before and after. */
function CleanExamples(props: { cluster: string; crd: string; examples: Cleaning["examples"] }) {
  return (
    <ul aria-label="Examples" className="flex flex-col gap-3">
      {props.examples.slice(0, SHOWN).map(({ object, before, after }) => (
        <li key={fullName(object)} className="rounded border border-line px-3 py-2 text-xs">
          <ObjectLink cluster={props.cluster} crd={props.crd} object={object} />
          <div className="grid gap-x-4 gap-y-2 pt-1.5 sm:grid-cols-2">
            <Entries title="before" entries={before} others={after} />
            <Entries title="after" entries={after} others={before} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Entries({ title, entries, others }: { title: string; entries: Entry[]; others: Entry[] }) {
  const unchanged = new Set(others.map(textOf));
  return (
    <div className="min-w-0">
      <p className="text-ink-soft">{title}</p>
      <ul className="font-mono leading-5">
        {entries.map((entry, index) => {
          const text = textOf(entry);
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be identical
              key={index}
              className={unchanged.has(text) ? "text-ink-faint [overflow-wrap:anywhere]" : "[overflow-wrap:anywhere] text-ink"}
            >
              {text}
            </li>
          );
        })}
        {entries.length === 0 ? <li className="font-sans text-ink-soft italic">none</li> : null}
      </ul>
    </div>
  );
}

function textOf({ manager, operation, version, subresource }: Entry): string {
  return `${version} ${manager} ${operation}${subresource ? ` /${subresource}` : ""}`;
}
