import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isConversionFailure } from "#lib/cluster/transport/conversion-failures.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { type Crd, readingVersion } from "#lib/domain/definition/crd.ts";

/** The version to read a definition's objects at. Throws AppError precondition_failed if none is served. */
export function versionToRead(crd: Pick<Crd, "versions">): string {
  const version = readingVersion(crd)?.name;
  if (version) return version;
  throw new AppError("precondition_failed", "No version is served, so no object can be read.", { nextStep: "Serve a version." });
}

/** The version to read objects at: the requested one, or by default the storage version if it is served. Throws AppError invalid_input. */
export function chosenVersion(crd: Crd, asked: string | undefined): string {
  const version = asked === undefined ? readingVersion(crd) : crd.versions.find(({ name }) => name === asked);
  if (version?.served) return version.name;
  const served = crd.versions.filter((one) => one.served).map(({ name }) => name);
  const nextStep = served.length > 0 ? `Use one of ${served.join(", ")}.` : "No version of this definition is served.";
  throw new AppError("invalid_input", asked === undefined ? "No version is served." : `${asked} is not served.`, { nextStep });
}

/**
 * What `list` gives at the first version at which it succeeds; null if it fails at each. All versions of a resource are one list in etcd,
 * so where an object can't be converted to one version, another works as well.
 * @throws the first error that `isPassedOver` refuses; by default it takes only failed conversions.
 */
export async function firstThatLists<Page>(
  versions: readonly string[],
  list: (version: string) => Promise<Page>,
  isPassedOver: (error: unknown) => boolean = isUnconvertible,
): Promise<Page | null> {
  for (const version of versions) {
    try {
      return await list(version);
    } catch (error) {
      if (!isPassedOver(error)) throw error;
    }
  }
  return null;
}

/** Whether a request failed because an object could not be converted. */
export function isUnconvertible(error: unknown): boolean {
  const answer = clusterAnswer(error);
  return answer !== null && isConversionFailure(answer);
}
