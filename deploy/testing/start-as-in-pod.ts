import { parseAllDocuments } from "yaml";
import type { Image, RunningImage } from "./start-image.ts";

/** Where client libraries look for what the kubelet mounts of the pod's account. */
const ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * Starts the image as the pod of rendered documents would, on a free port; the cluster is a local one. `tokenFile` holds the token of
 * the pod's account, for a pod that has it mounted.
 */
export function startAsInPod(
  image: Image,
  documents: Rendered[],
  {
    cluster,
    tokenFile = "",
    settings = {},
  }: { cluster: { server: string; caFile: string }; tokenFile?: string; settings?: Record<string, string> },
): Promise<RunningImage> {
  const { hostname, port } = new URL(cluster.server);
  const env = environmentOf(documents);
  const isMounted = podOf(documents).pod.automountServiceAccountToken;
  return image.start({
    env: { ...env, KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, PORT: "0", ...settings },
    mounted: isMounted
      ? { [`${ACCOUNT}/ca.crt`]: cluster.caFile, [`${ACCOUNT}/token`]: tokenFile }
      : { [env.CRDSHIFT_CLUSTER_CA ?? ""]: cluster.caFile },
  });
}

/** A rendered template, as far as tests look into it. */
export interface Rendered {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  data?: Record<string, string>;
  rules?: Rule[];
  spec?: { [field: string]: unknown; template?: { spec: PodSpec } };
}

interface Rule {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
}

interface PodSpec {
  automountServiceAccountToken: boolean;
  containers: Container[];
  securityContext: object;
  terminationGracePeriodSeconds: number;
  volumes?: object[];
}

interface Container {
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string; optional?: boolean } } }[];
  ports: { name: string; containerPort: number }[];
  securityContext: object;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string; httpHeaders: { name: string; value: string }[] } };
}

/** The documents of what Helm has rendered. */
export function readRendered(text: string): Rendered[] {
  return parseAllDocuments(text).flatMap((document) => (document.contents === null ? [] : [document.toJS() as Rendered]));
}

/** The only one of a kind, or of those the one with that name. */
export function findRendered(documents: Rendered[], kind: string, name?: string): Rendered {
  const [found, ...others] = documents.filter(
    (document) => document.kind === kind && (name === undefined || document.metadata.name === name),
  );
  if (!found || others.length > 0) throw new Error(`There are ${others.length + (found ? 1 : 0)} of ${kind} ${name ?? ""}, and not one.`);
  return found;
}

/** The pod of the Deployment, and its one container. */
export function podOf(documents: Rendered[]): { pod: PodSpec; container: Container } {
  const pod = findRendered(documents, "Deployment").spec?.template?.spec;
  const [container] = pod?.containers ?? [];
  if (!pod || !container) throw new Error("The Deployment has no container.");
  return { pod, container };
}

/** The environment that the kubelet would make for it: the Secrets are those of the documents. */
export function environmentOf(documents: Rendered[]): Record<string, string> {
  const entries = podOf(documents).container.env.flatMap(({ name, value, valueFrom }) => {
    if (value !== undefined) return [[name, value]];
    const { name: secret, key, optional } = valueFrom?.secretKeyRef ?? { name: "", key: "" };
    const encoded = documents.find((document) => document.kind === "Secret" && document.metadata.name === secret)?.data?.[key];
    if (encoded === undefined && optional) return [];
    if (encoded === undefined) throw new Error(`${name} comes from ${key} of the Secret ${secret}, which was not rendered.`);
    return [[name, Buffer.from(encoded, "base64").toString("utf8")]];
  });
  return Object.fromEntries(entries);
}
