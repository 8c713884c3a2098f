import { AppError } from "#lib/contract/app-error.ts";
import { type Crd, readingVersion } from "#lib/domain/crd.ts";

/** The version to read objects at: the one asked for, else the storage version where it is served. Throws AppError invalid_input. */
export function chosenVersion(crd: Crd, asked: string | undefined): string {
  const version = asked === undefined ? readingVersion(crd) : crd.versions.find(({ name }) => name === asked);
  if (version?.served) return version.name;
  const served = crd.versions.filter((one) => one.served).map(({ name }) => name);
  const nextStep = served.length > 0 ? `Ask for one of ${served.join(", ")}.` : "No version of this definition is served.";
  throw new AppError("invalid_input", asked === undefined ? "No version is served." : `${asked} is not served.`, { nextStep });
}
