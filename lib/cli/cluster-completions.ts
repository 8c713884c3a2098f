import { listCrdNames } from "#lib/cluster/definitions/list-crd-names.ts";
import { type ClusterChoice, contextsOf, openConnection } from "./command-context.ts";

/** How long a user waits after pressing Tab. */
const ANSWER_WITHIN_MS = 3_000;

/** The contexts of the kubeconfig; empty if it can't be read. */
export function contextNames(choice: ClusterChoice): string[] {
  try {
    return [...contextsOf(choice).contexts.keys()];
  } catch {
    return [];
  }
}

/** The definitions of the cluster; empty if they can't be read within three seconds. */
export async function definitionNames(choice: ClusterChoice): Promise<readonly string[]> {
  try {
    return await listCrdNames(await openConnection(choice), AbortSignal.timeout(ANSWER_WITHIN_MS));
  } catch {
    return [];
  }
}
