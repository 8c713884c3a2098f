"use client";

import { Time } from "#components/ui/time.tsx";
import { useHistory } from "#lib/queries/use-cluster-data.ts";
import { doneEntry } from "./done-entry.ts";
import type { StepProps } from "./step-props.ts";

/** When a step was done and by whom, as far as the definition's history knows. */
export function DoneBy({ cluster, crd, version, step }: StepProps) {
  const { data } = useHistory(cluster, crd.name);
  const entry = data && doneEntry(data.items, step.name, version);
  if (!entry) return null;
  return (
    <>
      <Time at={entry.at} />
      {entry.by ? (
        <>
          {" "}
          by <span dir="auto">{entry.by.user}</span>
          {entry.by.from === "event" ? " (as an Event says)" : ""}
        </>
      ) : null}
    </>
  );
}
