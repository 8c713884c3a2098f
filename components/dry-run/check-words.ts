import type { CheckName } from "#lib/domain/preflight.ts";

/** How each check is written. */
export const checkWords: Record<CheckName, string> = {
  permissions: "Permissions",
  conditions: "Conditions of the definition",
  engine: "Another engine at work",
  conversion: "Conversion",
  webhooks: "Admission webhooks",
  policies: "Admission policies",
  "watch-events": "Watch events",
};
