import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { ErrorBody } from "#lib/contract/error.ts";

/** Whatever was thrown, in the contract's shape. */
export function errorBody(error: unknown): ErrorBody {
  if (!isAppError(error)) return { error: { code: "internal", message: errorMessage(error), nextStep: "Please report it." } };
  const { code, message, nextStep, clusterMessage, details } = error;
  return {
    error: { code, message, ...(clusterMessage && { cause: clusterMessage }), ...(nextStep && { nextStep }), ...(details && { details }) },
  };
}
