import type { StepProps } from "./step-props.ts";

/** Why a finished step can't be undone now. */
export function UndoRefusal({ step: { undoRefusal } }: StepProps) {
  if (!undoRefusal) return null;
  return (
    <p dir="auto" className="max-w-3xl text-warning [overflow-wrap:anywhere]">
      {undoRefusal.message} {undoRefusal.nextStep}
    </p>
  );
}
