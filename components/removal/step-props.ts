import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";

/** What every step of the path is given. */
export interface StepProps {
  cluster: string;
  crd: CrdDetail;
  version: string;
  step: RemovalStep;
}
