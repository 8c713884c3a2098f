import type { RemovalStepName } from "#lib/domain/removal/removal.ts";

/** A step's element id on the page; a link to it unfolds the step. */
export function stepAnchor(step: RemovalStepName): string {
  return `step-${step}`;
}
