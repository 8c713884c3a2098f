"use client";

import { clsx } from "clsx";
import { type ReactNode, useState } from "react";
import { useMissingRights } from "#lib/queries/use-missing-rights.ts";
import { useReadOnly } from "#lib/queries/use-session.ts";
import { DoneBy } from "./done-by.tsx";
import { stepAnchor } from "./step-anchor.ts";
import { stepLook } from "./step-look.ts";
import type { StepProps } from "./step-props.ts";
import { stepRight } from "./step-right.ts";
import { stepSummary, stepTitle } from "./step-words.ts";

/** A step: its title and where it stands in a line; below, when it is unfolded, everything about it. */
export function StepFrame(props: StepProps & { number: number; isCurrent: boolean; children: ReactNode }) {
  const { cluster, crd, version, step, number, isCurrent, children } = props;
  const [isOpen, setOpen] = useState(isCurrent);
  // The step that has become the current one unfolds, and the one that was it folds.
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
            <span aria-hidden className={clsx("w-3 text-center", look.colour)}>
              {look.sign}
            </span>
            <h2 className={clsx("[overflow-wrap:anywhere]", isCurrent ? "font-semibold" : "font-medium")}>
              {stepTitle(step.name, version, isServed)}
            </h2>
          </span>
          <span className="text-sm text-ink-soft [overflow-wrap:anywhere]">
            <span className={look.colour}>{look.word}</span>{" "}
            {step.state === "done" ? <DoneBy {...{ cluster, crd, version, step }} /> : null}
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
