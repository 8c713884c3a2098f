import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isAppError } from "#lib/contract/app-error.ts";

/** Whether a read found that the definition is gone: a 404 that doesn't come from the API server says nothing about it. */
export function isDeleted(error: unknown): boolean {
  return isAppError(error) && error.code === "not_found" && clusterAnswer(error) === null;
}
