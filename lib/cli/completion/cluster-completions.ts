import { contextsOf, openConnection } from "#lib/cli/open-connection.ts";
import { listCrdNames } from "#lib/cluster/definitions/list-crd-names.ts";
import type { CompletionSources } from "./complete.ts";

/** Whoever presses Tab does not wait longer. */
const ANSWER_WITHIN_MS = 3_000;

/** The contexts of the kubeconfig, and the definitions of the cluster; nothing where they can't be read in three seconds. */
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
