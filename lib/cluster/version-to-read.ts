import { AppError } from "#lib/contract/app-error.ts";
import { type Crd, readingVersion } from "#lib/domain/crd.ts";

/** The name of the version at which a definition's objects are read. Throws AppError precondition_failed when none is served. */
export function versionToRead(crd: Pick<Crd, "versions">): string {
  const version = readingVersion(crd)?.name;
  if (version) return version;
  throw new AppError("precondition_failed", "No version is served, so no object can be read.", { nextStep: "Serve a version." });
}
