"use client";

import { clsx } from "clsx";
import { type ReactNode, useState } from "react";
import { nameVersions } from "#components/crd/marks.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";
import type { History } from "#lib/contract/rewrite/history.ts";
import type { HistoryKind } from "#lib/domain/record/history.ts";
import type { RemovalAction, RemovalStepName } from "#lib/domain/removal/removal.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { useMissingRights } from "#lib/queries/definition/crd-queries.ts";
import { useHistory } from "#lib/queries/live/use-cluster-data.ts";
import { useReadOnly } from "#lib/queries/session/session-query.ts";
import { type StepProps, stepAnchor } from "./step-parts.tsx";

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

/** The newest history entry that records this step for this version; null if there is none. */
export function doneEntry(
  items: readonly Entry[],
  step: RemovalStepName,
  { version, isServed }: { version: string; isServed: boolean },
): Entry | null {
  const done = doneBy(step, isServed);
  // The webhook is the whole definition's.
  return items.find(({ kind, versions }) => kind === done && (step === "conversion" || versions?.includes(version))) ?? null;
}

/** The kind of action that does a step. A version that isn't served needs no warning, so that does step 1 too. */
function doneBy(step: RemovalStepName, isServed: boolean): HistoryKind {
  switch (step) {
    case "clients":
      return isServed ? "deprecated" : "unserved";
    case "serving":
      return "unserved";
    case "storage":
      return "pruned";
    case "spec":
      return "removed";
    case "conversion":
      return "unconverted";
    default:
      return step satisfies never;
  }
}

const HELD = { rights: "you lack permission", "read-only": "crdshift is read-only" };

interface Seen {
  isCurrent: boolean;
  /** What keeps the user from taking a step that is ready. */
  heldBy: "rights" | "read-only" | null;
}

/** How a step's state looks: a sign, a word and a color class. */
export function stepLook(
  { state, refusal }: Pick<RemovalStep, "state" | "refusal">,
  { isCurrent, heldBy }: Seen,
): { sign: string; word: string; color: string } {
  switch (state) {
    case "done":
      return { sign: "✓", word: "done", color: "text-good" };
    case "unneeded":
      return { sign: "–", word: "not needed", color: "" };
    case "ready":
      if (heldBy) return { sign: "○", word: `ready, but ${HELD[heldBy]}`, color: "" };
      return isCurrent ? { sign: "●", word: "next", color: "text-working" } : { sign: "○", word: "ready", color: "" };
    case "refused":
      if (isCurrent && refusal?.run) return { sign: "●", word: "rewrite running", color: "text-working" };
      return isCurrent ? { sign: "▲", word: "not safe yet", color: "text-warning" } : { sign: "○", word: "not yet", color: "" };
    default:
      return state satisfies never;
  }
}

/** What a step achieves. */
function stepTitle(step: RemovalStepName, version: string, isServed: boolean): string {
  switch (step) {
    case "clients":
      return isServed ? "Clients are warned" : "No client can use it";
    case "serving":
      return `${version} is no longer served`;
    case "storage":
      return `No object is stored as ${version}`;
    case "spec":
      return `${version} is out of spec.versions`;
    case "conversion":
      return "The conversion webhook is gone";
    default:
      return step satisfies never;
  }
}

/** The result of a finished step, in a sentence. */
function stepSummary({ name, state }: RemovalStep, crd: CrdDetail, version: string): string {
  const flags = crd.versions.find((one) => one.name === version);
  switch (name) {
    case "clients":
      return flags?.served ? "Deprecated. crdshift can't confirm that all clients have migrated." : "Not served.";
    case "serving":
      return "Requests get a 404.";
    case "storage":
      return `status.storedVersions is [${crd.storedVersions.join(", ")}].`;
    case "spec":
      return "";
    case "conversion":
      if (crd.conversion === "Webhook") return `${nameVersions(crd.versions.map((one) => one.name))} still need it.`;
      return state === "unneeded" ? "Conversion is None: there is no webhook." : "The API server converts without it.";
    default:
      return name satisfies never;
  }
}
