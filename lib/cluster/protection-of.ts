import { protectingPattern } from "#lib/domain/protection.ts";
import { readEnv } from "#lib/env.ts";

/** The pattern of CRDSHIFT_PROTECTED that protects a definition; null when none does. */
export function protectionOf(crdName: string): string | null {
  return protectingPattern(readEnv().CRDSHIFT_PROTECTED, crdName);
}
