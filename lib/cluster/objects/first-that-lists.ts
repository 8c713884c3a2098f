import { clusterAnswer, isConversionFailure } from "#lib/cluster/transport/errors.ts";

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
