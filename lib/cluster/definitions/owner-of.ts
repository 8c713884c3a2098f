import { plainText } from "#lib/cluster/transport/plain-text.ts";

/** The metadata of a definition that shows who applies it. */
export interface OwnerEvidence {
  /** Each holds any value: checking all takes as long as parsing them. */
  labels: Record<string, unknown>;
  annotations: Record<string, string>;
  ownerReferences: { kind: string; name: string; controller: boolean }[];
  /** Managers that own part of its spec, from managedFields. */
  specManagers: string[];
}

/** Managers that keep applying a definition from another source. */
const knownManagers: Record<string, string> = {
  "kustomize-controller": "Flux",
  "helm-controller": "Flux",
  "argocd-controller": "Argo CD",
  "argocd-application-controller": "Argo CD",
  catalog: "OLM",
};

/**
 * Who owns a definition, and would revert a change to it, in words; null if unknown. Each tool documents the marks it leaves on the
 * objects it applies: Helm's and Argo CD's tracking, Flux's and OLM's labels.
 */
export function ownerOf({ labels, annotations, ownerReferences, specManagers }: OwnerEvidence): string | null {
  const labelled = (label: string) => {
    const value = labels[label];
    return typeof value === "string" ? value : "";
  };
  const release = annotations["meta.helm.sh/release-name"];
  if (release) return `Helm (release ${shown(release)})`;
  const kustomization = labelled("kustomize.toolkit.fluxcd.io/name");
  if (kustomization) return `Flux (${shown(kustomization)})`;
  const helmRelease = labelled("helm.toolkit.fluxcd.io/name");
  if (helmRelease) return `Flux (Helm release ${shown(helmRelease)})`;
  const application = annotations["argocd.argoproj.io/tracking-id"]?.split(":")[0] || labelled("argocd.argoproj.io/instance");
  if (application) return `Argo CD (${shown(application)})`;
  const extension = labelled("olm.operatorframework.io/owner-name");
  if (extension) return `OLM (${shown(extension)})`;
  const operator = Object.keys(labels).find((label) => label.startsWith("operators.coreos.com/"));
  if (operator) return `OLM (${shown(operator.slice("operators.coreos.com/".length))})`;
  if (labelled("olm.managed") === "true") return "OLM";
  const controller = ownerReferences.find((reference) => reference.controller) ?? ownerReferences[0];
  if (controller) return `${shown(controller.kind)} ${shown(controller.name)}`;
  const manager = specManagers.find((name) => Object.hasOwn(knownManagers, name));
  if (manager) return `${knownManagers[manager]} (manager ${shown(manager)})`;
  const isController = (name: string) => /controller|operator/i.test(name);
  const unknown = specManagers.find(isController);
  if (unknown) return `a controller (manager ${shown(unknown)})`;
  const tool = labelled("app.kubernetes.io/managed-by");
  return tool && tool.toLowerCase() !== "kubectl" ? shown(tool) : null;
}

/** The longest name of an object. */
const NAME_MAX = 253;

/** A name as its author may have written it: annotations and the names of owners hold any text. */
function shown(name: string): string {
  return plainText(name.slice(0, NAME_MAX));
}
