import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";
import type { RemovalStepName } from "#lib/domain/removal/removal.ts";

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
