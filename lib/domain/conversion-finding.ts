/** The gravest first. */
export const findingSeverities = ["fail", "warn", "info"] as const;

/** What a look at a definition's conversion brings up. `fail`: objects can't be converted. `warn`: somebody should act. */
export interface ConversionFinding {
  severity: (typeof findingSeverities)[number];
  message: string;
  nextStep: string;
}
