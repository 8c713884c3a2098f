import type { AppError } from "./app-error.ts";
import type { ErrorBody } from "./error.ts";

/** An error as an answer holds it; what it has not is left out. */
export function appErrorBody({ code, message, nextStep, clusterMessage, details }: AppError): ErrorBody {
  return {
    error: { code, message, ...(clusterMessage && { cause: clusterMessage }), ...(nextStep && { nextStep }), ...(details && { details }) },
  };
}
