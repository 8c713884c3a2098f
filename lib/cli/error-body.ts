import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import { appErrorBody } from "#lib/contract/app-error-body.ts";
import type { ErrorBody } from "#lib/contract/error.ts";

/** Whatever was thrown, in the contract's shape. */
export function errorBody(error: unknown): ErrorBody {
  if (isAppError(error)) return appErrorBody(error);
  return { error: { code: "internal", message: errorMessage(error), nextStep: "Please report it." } };
}
