/** Why somebody changed a protected definition. */
export interface GivenReason {
  text: string;
  by: string;
  at: string;
}

/** A run's reasons with one more. The first and the newest are kept, so that the annotation stays small. */
export function withReason(reasons: readonly GivenReason[], reason: GivenReason): GivenReason[] {
  return [...reasons.slice(0, 1), reason];
}
