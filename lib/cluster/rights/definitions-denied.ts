import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { DefinitionsDenied } from "#lib/contract/rights.ts";

/** In the API server's words whatever authorizer said no: apiserver/pkg/endpoints/handlers/responsewriters/errors.go at v0.36.3. */
const WHO_AND_WHAT = /User "(?<user>[^"]+)" cannot (?<verb>list|watch) resource/;

/** An error of listing or watching the definitions, if it is that one may not: in words that say so, with who may not do what. Else null. */
export function definitionsDenied(error: unknown): AppError | null {
  if (!isAppError(error) || error.code !== "forbidden") return null;
  const { user = null, verb } = WHO_AND_WHAT.exec(error.clusterMessage ?? "")?.groups ?? {};
  const denied: DefinitionsDenied = { verb: verb === "watch" ? verb : "list", user };
  return new AppError("forbidden", `You may not ${denied.verb} CustomResourceDefinitions.`, {
    nextStep: "Ask for the ClusterRole crdshift-viewer, or for another that allows it.",
    clusterMessage: error.clusterMessage,
    details: { definitionsDenied: denied },
    cause: error,
  });
}
