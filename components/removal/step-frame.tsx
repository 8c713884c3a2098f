"use client";

import { clsx } from "clsx";
import { type ReactNode, useState } from "react";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";
import type { History } from "#lib/contract/rewrite/history.ts";
import type { HistoryKind } from "#lib/domain/audit/history.ts";
import type { RemovalAction, RemovalStepName } from "#lib/domain/removal/removal-steps.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { useMissingRights } from "#lib/queries/definition/crd-queries.ts";
import { useHistory } from "#lib/queries/live/use-cluster-data.ts";
import { useReadOnly } from "#lib/queries/session/session-query.ts";
import { stepLook, stepSummary, stepTitle } from "./step-words.ts";

/** The props of every step of the path. */
export interface StepProps {
  cluster: string;
  crd: CrdDetail;
  version: string;
  step: RemovalStep;
}

/** A step's element id on the page; a link to it unfolds the step. */
export function stepAnchor(step: RemovalStepName): string {
  return `step-${step}`;
}

/** A step: its title and state in one line, and its content when unfolded. */
export function StepFrame(props: StepProps & { number: number; isCurrent: boolean; children: ReactNode }) {
  const { cluster, crd, version, step, number, isCurrent, children } = props;
  const [isOpen, setOpen] = useState(isCurrent);
  // A step unfolds when it becomes the current one, and folds when it stops being it.
  const [wasCurrent, setWasCurrent] = useState(isCurrent);
  if (wasCurrent !== isCurrent) {
    setWasCurrent(isCurrent);
    setOpen(isCurrent);
  }
  const isReadOnly = useReadOnly();
  const lacksRights = useMissingRights(cluster, crd.name, stepRight(step.action)).length > 0;
  const look = stepLook(step, { isCurrent, heldBy: isReadOnly ? "read-only" : lacksRights ? "rights" : null });
  const isServed = crd.versions.some(({ name, served }) => name === version && served);
  return (
    <li aria-current={isCurrent ? "step" : undefined} className="border-t border-line">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 py-3 hover:bg-sunken">
          <span className="inline-flex min-w-0 items-baseline gap-3">
            <span className="w-3 text-right text-ink-faint">{number}</span>
            <span aria-hidden className={clsx("w-3 text-center", look.color)}>
              {look.sign}
            </span>
            <h2 className={clsx("[overflow-wrap:anywhere]", isCurrent ? "font-semibold" : "font-medium")}>
              {stepTitle(step.name, version, isServed)}
            </h2>
          </span>
          <span className="text-sm text-ink-soft [overflow-wrap:anywhere]">
            <span className={look.color}>{look.word}</span>{" "}
            {step.state === "done" ? <DoneBy {...{ cluster, crd, version, step }} isServed={isServed} /> : null}
          </span>
          {step.state === "done" || step.state === "unneeded" ? (
            <span className="text-sm text-ink-soft [overflow-wrap:anywhere]">{stepSummary(step, crd, version)}</span>
          ) : null}
        </summary>
        <div id={stepAnchor(step.name)} className="flex flex-col gap-5 pb-6 md:pl-12">
          {isOpen ? children : null}
        </div>
      </details>
    </li>
  );
}

/** The permission that a step's action needs; null if there is no action. */
function stepRight(action: RemovalAction | null): GuardedAction | null {
  switch (action) {
    case "deprecate":
    case "unserve":
    case "flip":
    case "remove":
    case "drop":
      return "change-spec";
    case "restore":
    case "prune":
      return "prune";
    case "rewrite":
      return "rewrite";
    case null:
      return null;
    default:
      return action satisfies never;
  }
}

/** When a step was done and by whom, if the definition's history has it. */
function DoneBy({ cluster, crd, version, step, isServed }: StepProps & { isServed: boolean }) {
  const { data } = useHistory(cluster, crd.name);
  const entry = data && doneEntry(data.items, step.name, { version, isServed });
  if (!entry) return null;
  return (
    <>
      <Time at={entry.at} />
      {entry.by ? (
        <>
          {" "}
          by <span dir="auto">{entry.by.user}</span>
          {entry.by.from === "event" ? " (from an Event)" : ""}
        </>
      ) : null}
    </>
  );
}

type Entry = History["items"][number];

/**
 * The newest history entry that records this step for this version; null if there is none, or if a newer one has, or may have, undone it:
 * someone else did it since.
 */
export function doneEntry(
  items: readonly Entry[],
  step: RemovalStepName,
  { version, isServed }: { version: string; isServed: boolean },
): Entry | null {
  const { does, undoes } = kindsOf(step, isServed);
  const newest = items.find(({ kind, versions }) => {
    // The webhook is the whole definition's.
    if (kind === does) return step === "conversion" || versions?.includes(version);
    return undoes.includes(kind) && (versions?.includes(version) ?? true);
  });
  return newest?.kind === does ? newest : null;
}

interface StepKinds {
  does: HistoryKind;
  undoes: readonly HistoryKind[];
}

// Any change of its flags may be that it is served, or the storage version, again. Beside that, it may have been deprecated.
const deprecating: StepKinds = { does: "deprecated", undoes: ["changed"] };
const unserving: StepKinds = { does: "unserved", undoes: ["changed", "deprecated"] };

/** The kinds of actions that do a step and undo it. A version that isn't served needs no warning, so that does step 1 too. */
function kindsOf(step: RemovalStepName, isServed: boolean): StepKinds {
  switch (step) {
    case "clients":
      return isServed ? deprecating : unserving;
    case "serving":
      return unserving;
    case "storage":
      return { does: "pruned", undoes: ["unpruned", "repaired", "changed"] };
    case "spec":
      return { does: "removed", undoes: ["readded"] };
    case "conversion":
      return { does: "unconverted", undoes: ["reconverted"] };
    default:
      return step satisfies never;
  }
}
