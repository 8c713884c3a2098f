import type { ReactNode } from "react";
import { useTold } from "#components/shared/use-told.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";

/** The button that undoes a finished step, with the reason if that isn't possible now. */
export function StepUndo({ step: { undoRefusal }, children }: { step: RemovalStep; children: (isRefused: boolean) => ReactNode }) {
  const told = useTold();
  return (
    <>
      {undoRefusal ? (
        <p dir="auto" className="max-w-3xl text-warning [overflow-wrap:anywhere]">
          {told(`${undoRefusal.message} ${undoRefusal.nextStep}`)}
        </p>
      ) : null}
      <div>{children(undoRefusal !== null)}</div>
    </>
  );
}
