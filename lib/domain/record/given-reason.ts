/** The reason given for changing a protected definition. */
export interface GivenReason {
  text: string;
  by: string;
  at: string;
}

/** A run's reasons plus a new one. Keeps only the first and the newest, to keep the annotation small. */
export function withReason(reasons: readonly GivenReason[], reason: GivenReason): GivenReason[] {
  return [...reasons.slice(0, 1), reason];
}
