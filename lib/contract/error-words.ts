import { errorMessage, isAppError } from "./app-error.ts";

/** What was thrown, in a sentence or two for people: the error's own words, then the cluster's where it has some. */
export function errorWords(error: unknown): string {
  return isAppError(error) ? [error.message, error.clusterMessage].filter(Boolean).join(" ") : errorMessage(error);
}
