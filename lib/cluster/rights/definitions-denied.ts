import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { DefinitionsDenied } from "#lib/contract/rights.ts";

/** The API server uses these words for every authorizer: apiserver/pkg/endpoints/handlers/responsewriters/errors.go at v0.36.3. */
const WHO_AND_WHAT = /User "(?<user>[^"]+)" cannot (?<verb>list|watch) resource/;

/** If listing or watching definitions failed for lack of permission: an error that names the user and the verb. Otherwise null. */
export function definitionsDenied(error: unknown): AppError | null {
  if (!isAppError(error) || error.code !== "forbidden") return null;
  const { user = null, verb } = WHO_AND_WHAT.exec(error.clusterMessage ?? "")?.groups ?? {};
  const denied: DefinitionsDenied = { verb: verb === "watch" ? verb : "list", user };
  return new AppError("forbidden", `You don't have permission to ${denied.verb} CustomResourceDefinitions.`, {
    nextStep: "Ask for the ClusterRole crdshift-viewer, or another role that allows it.",
    clusterMessage: error.clusterMessage,
    details: { definitionsDenied: denied },
    cause: error,
  });
}
