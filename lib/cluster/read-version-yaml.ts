import { AppError } from "#lib/contract/app-error.ts";
import { annotationOf, REMOVED_ANNOTATION, versionSpec } from "#lib/domain/version-spec.ts";
import type { Connection } from "./connection.ts";
import { readExactCrd } from "./crds.ts";
import { removedSpecOf } from "./removed-version.ts";
import { versionYaml } from "./version-yaml.ts";

/**
 * A version's entry of spec.versions as YAML, to keep it before it is removed; or as the removal kept it.
 * @throws AppError not_found when the definition has it in neither place.
 */
export async function readVersionYaml(connection: Connection, crdName: string, version: string, signal: AbortSignal): Promise<string> {
  const { exact } = await readExactCrd(connection, crdName, signal);
  const spec = versionSpec(exact, version) ?? removedSpecOf(annotationOf(exact, REMOVED_ANNOTATION), version);
  if (spec) return versionYaml(spec);
  throw new AppError("not_found", `${crdName} has no version ${version}, and keeps none of that name.`, {
    nextStep: "Look at its versions on the definition's page.",
  });
}
