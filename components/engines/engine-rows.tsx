import type { EngineRow } from "./comparison-table.tsx";
import { Speed } from "./speed.tsx";

/** How the engines differ. What is said of the cluster's own is tested on Kubernetes 1.36.3 (in-tree-hazards.integration.test.ts). */
export const engineRows: EngineRow[] = [
  {
    question: "What it proves",
    crdshift:
      "That every object is stored at the storage version: it waits until the version has settled, and looks at every object once more.",
    inTree: "Nothing. Succeeded means that it patched what it knew of. crdshift looks at every object afterwards, and that is the proof.",
  },
  {
    question: "One bad object",
    crdshift: "It is listed as rejected, in the API server's words, and the others go on. There is no proof then, and nothing to prune.",
    inTree:
      "The whole migration fails at it and names no other; what comes after it is not rewritten. crdshift's pass afterwards tells each.",
  },
  {
    question: "status.storedVersions",
    crdshift: "Stays until you prune it, which takes a proof and has an undo.",
    inTree:
      "Shortened by the engine itself, with no way to prevent it: also when it failed, and by a second migration before it has rewritten anything. crdshift remembers the list, and puts back what went without a proof.",
  },
  {
    question: "Lost fields and ownership",
    crdshift: "Found by a dry run before anything is written. Ownership can be carried over.",
    inTree: "Found by the same dry run where crdshift delegates. Ownership can't be carried over.",
  },
  {
    question: "Pause, limit, cancel",
    crdshift: "At any time; what is rewritten stays so, and is skipped the next time.",
    inTree: "None. Even deleting it does not stop it; crdshift can only stop looking.",
  },
  {
    question: "Progress",
    crdshift: "Object by object, with rate and time left.",
    inTree: "None until it has ended. It begins up to a minute late where the objects hardly change, and tries some errors again for ever.",
  },
  {
    question: "Who must be running",
    crdshift: "crdshift. Where it ends, the rewrite is interrupted and can be resumed.",
    inTree: "kube-controller-manager with the feature gate StorageVersionMigrator; crdshift too, for the proof.",
  },
  { question: "Speed", crdshift: <Speed engine="crdshift" />, inTree: <Speed engine="inTree" /> },
];
