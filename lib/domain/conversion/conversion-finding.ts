/** Most severe first. */
export const findingSeverities = ["fail", "warn", "info"] as const;

/** A problem with a definition's conversion. `fail`: objects can't be converted. `warn`: action is needed. */
export interface ConversionFinding {
  severity: (typeof findingSeverities)[number];
  message: string;
  nextStep: string;
}
