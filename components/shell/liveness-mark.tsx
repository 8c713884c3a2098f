"use client";

import { clsx } from "clsx";
import { Hint } from "#components/ui/hint.tsx";
import { type Liveness, useLiveness } from "#lib/queries/liveness.tsx";

const looks: Record<Liveness["kind"], { dot: string; text: string }> = {
  live: { dot: "bg-good", text: "text-ink-soft" },
  connecting: { dot: "border border-ink-faint", text: "text-ink-soft" },
  polling: { dot: "border-2 border-warning", text: "text-warning" },
  denied: { dot: "border-2 border-blocked", text: "text-blocked" },
  stale: { dot: "rounded-none! bg-blocked", text: "text-blocked" },
};

/** Whether what is shown is up to date: a dot with its word. */
export function LivenessMark() {
  const liveness = useLiveness();
  const look = looks[liveness.kind];
  return (
    <Hint text={liveness.message} className={clsx("inline-flex h-8 items-center gap-1.5 px-1 text-xs", look.text)}>
      <span aria-hidden className={clsx("size-2 rounded-full", look.dot)} />
      {liveness.kind}
    </Hint>
  );
}
