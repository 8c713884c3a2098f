import type { RemovalStepName } from "#lib/domain/removal/removal.ts";

/** Where a step is on the page. A link there unfolds it. */
export function stepAnchor(step: RemovalStepName): string {
  return `step-${step}`;
}
