import { contextsOf, openConnection } from "#lib/cli/open-connection.ts";
import { listCrdNames } from "#lib/cluster/definitions/list-crd-names.ts";
import type { CompletionSources } from "./complete.ts";

/** How long a user waits after pressing Tab. */
const ANSWER_WITHIN_MS = 3_000;

/** The contexts of the kubeconfig and the definitions of the cluster; empty if they can't be read within three seconds. */
export const clusterCompletions: CompletionSources = {
  contexts: async (choice) => {
    try {
      return [...contextsOf(choice).contexts.keys()];
    } catch {
      return [];
    }
  },
  definitions: async (choice) => {
    try {
      const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
      return await listCrdNames(await openConnection(choice), signal);
    } catch {
      return [];
    }
  },
};
