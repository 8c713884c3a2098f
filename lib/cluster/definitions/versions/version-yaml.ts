import { parseDocument, stringify } from "yaml";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import { exactJson, exactText, NESTING_MAX, nestsWithin } from "#lib/domain/exact-json/exact-json.ts";
import { annotationOf, isVersionSpec, REMOVED_ANNOTATION, type VersionSpec, versionSpec } from "#lib/domain/versions/version-change.ts";
import { removedSpecOf } from "./removed-version.ts";

const TOO_DEEP = `It is nested more than ${NESTING_MAX} levels deep, or an alias refers to itself.`;

/** An entry of spec.versions as readable YAML; integers of any size stay exact. */
export function versionYaml(spec: VersionSpec): string {
  return stringify(parseDocument(exactText(spec), { intAsBigInt: true }).toJS(), {
    intAsBigInt: true,
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
}

/**
 * Parses YAML as one entry of spec.versions.
 * @throws AppError invalid_input with the line, if it isn't one or is another version's.
 */
export function versionSpecFromYaml(yaml: string, version: string): VersionSpec {
  const content = contentOf(yaml);
  if (!nestsWithin(content)) throw unreadable(TOO_DEEP);
  const spec = exactJson(content);
  if (!isVersionSpec(spec)) throw unreadable("It is not a single spec.versions entry with a name and a schema.");
  if (spec.name !== version) throw unreadable(`It is ${spec.name}, not ${version}.`);
  return spec;
}

function contentOf(yaml: string): unknown {
  const document = unlessThrown(() => parseDocument(yaml, { intAsBigInt: true }));
  const [problem] = document.errors;
  if (problem?.code === "MULTIPLE_DOCS") throw unreadable("It contains more than one document.");
  if (problem) throw unreadable(problem.code === "RESOURCE_EXHAUSTION" ? TOO_DEEP : problem.message);
  return unlessThrown(() => document.toJS());
}

// Nested aliases that would exhaust memory throw, and nesting too deep for the stack throws a RangeError.
function unlessThrown<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw unreadable(error instanceof RangeError ? TOO_DEEP : errorMessage(error));
  }
}

function unreadable(why: string): AppError {
  return new AppError("invalid_input", `The YAML can't be used: ${why}`, {
    nextStep: "Send the spec.versions entry as it was saved when the version was removed.",
  });
}

/**
 * A version's entry of spec.versions as YAML, from the spec, or from the copy that its removal kept.
 * @throws AppError not_found if the definition has neither.
 */
export async function readVersionYaml(connection: Connection, crdName: string, version: string, signal: AbortSignal): Promise<string> {
  const { exact } = await readExactCrd(connection, crdName, signal);
  const spec = versionSpec(exact, version) ?? removedSpecOf(annotationOf(exact, REMOVED_ANNOTATION), version);
  if (spec) return versionYaml(spec);
  throw new AppError("not_found", `${crdName} has no version ${version}, and no saved copy of one.`, {
    nextStep: "See the definition's page for its versions.",
  });
}
