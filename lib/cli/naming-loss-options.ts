import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { holdsLosses } from "./exit-codes.ts";

/** Does what may be refused for what it would lose; a refusal then says by which of these options it is done all the same. */
export async function namingLossOptions<Value>(act: () => Promise<Value>, options: string): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (!isAppError(error) || !holdsLosses(error)) throw error;
    const { code, message, nextStep, clusterMessage, details } = error;
    throw new AppError(code, message, {
      nextStep: [nextStep, `The options for that: ${options}.`].filter(Boolean).join(" "),
      ...{ clusterMessage, cause: error },
      ...(details && { details }),
    });
  }
}
