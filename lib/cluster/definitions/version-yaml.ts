import { parseDocument, stringify } from "yaml";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import { exactJson, exactText } from "#lib/domain/exact-json/exact-json.ts";
import { NESTING_MAX, nestsWithin } from "#lib/domain/exact-json/nests-within.ts";
import { annotationOf, isVersionSpec, REMOVED_ANNOTATION, type VersionSpec, versionSpec } from "#lib/domain/versions/version-spec.ts";
import { readExactCrd } from "./crds.ts";
import { removedSpecOf } from "./removed-version.ts";

const TOO_DEEP = `It is nested more than ${NESTING_MAX} levels deep, or an alias stands inside what it stands for.`;

/** An entry of spec.versions as YAML for people: what it was, where whole numbers of any size stay what they are. */
export function versionYaml(spec: VersionSpec): string {
  return stringify(parseDocument(exactText(spec), { intAsBigInt: true }).toJS(), {
    intAsBigInt: true,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}

/**
 * The entry of spec.versions that a YAML holds.
 * @throws AppError invalid_input with the line, when it is none, or of another version.
 */
export function versionSpecFromYaml(yaml: string, version: string): VersionSpec {
  const content = contentOf(yaml);
  if (!nestsWithin(content)) throw unreadable(TOO_DEEP);
  const spec = exactJson(content);
  if (!isVersionSpec(spec)) throw unreadable("It is not one entry of spec.versions, with a name and a schema.");
  if (spec.name !== version) throw unreadable(`It is ${spec.name}, not ${version}.`);
  return spec;
}

function contentOf(yaml: string): unknown {
  const document = unlessThrown(() => parseDocument(yaml, { intAsBigInt: true }));
  const [problem] = document.errors;
  if (problem?.code === "MULTIPLE_DOCS") throw unreadable("It holds more than one document.");
  if (problem) throw unreadable(problem.code === "RESOURCE_EXHAUSTION" ? TOO_DEEP : problem.message);
  return unlessThrown(() => document.toJS());
}

// Aliases of aliases, which would fill the memory, throw; so does, with a RangeError, what is nested too deep for the stack.
function unlessThrown<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw unreadable(error instanceof RangeError ? TOO_DEEP : errorMessage(error));
  }
}

function unreadable(why: string): AppError {
  return new AppError("invalid_input", `The YAML can't be used: ${why}`, {
    nextStep: "Send the entry of spec.versions as it was saved when the version was removed.",
  });
}

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
