import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";

/** The props of every step of the path. */
export interface StepProps {
  cluster: string;
  crd: CrdDetail;
  version: string;
  step: RemovalStep;
}
