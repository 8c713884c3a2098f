import type { ReactNode } from "react";
import { inLocalTime } from "#components/shared/api-error-notice.tsx";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";

/** The button that undoes a finished step, with the reason if that isn't possible now. */
export function StepUndo({ step: { undoRefusal }, children }: { step: RemovalStep; children: (isRefused: boolean) => ReactNode }) {
  return (
    <>
      {undoRefusal ? (
        <p dir="auto" className="max-w-3xl text-warning [overflow-wrap:anywhere]">
          {inLocalTime(`${undoRefusal.message} ${undoRefusal.nextStep}`)}
        </p>
      ) : null}
      <div>{children(undoRefusal !== null)}</div>
    </>
  );
}
