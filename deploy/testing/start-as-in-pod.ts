import { environmentOf, podOf, type Rendered } from "./rendered.ts";
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
