import { parseDocument, stringify } from "yaml";
import { AppError, errorMessage } from "#lib/contract/app-error.ts";
import { exactJson, exactText } from "#lib/domain/exact-json.ts";
import { isVersionSpec, type VersionSpec } from "#lib/domain/version-spec.ts";

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
  const document = parseDocument(yaml, { intAsBigInt: true });
  const [problem] = document.errors;
  if (problem) throw unreadable(problem.message);
  const spec = exactJson(contentOf(document));
  if (!isVersionSpec(spec)) throw unreadable("It is not one entry of spec.versions, with a name and a schema.");
  if (spec.name !== version) throw unreadable(`It is ${spec.name}, not ${version}.`);
  return spec;
}

// Aliases of aliases, which would fill the memory, throw.
function contentOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch (error) {
    throw unreadable(errorMessage(error));
  }
}

function unreadable(why: string): AppError {
  return new AppError("invalid_input", `The YAML can't be used: ${why}`, {
    nextStep: "Send the entry of spec.versions as it was saved when the version was removed.",
  });
}
