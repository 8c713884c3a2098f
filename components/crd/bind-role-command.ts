import { serviceAccountOf } from "#lib/domain/service-account.ts";
import { quoted } from "./kubectl.ts";

/** The ClusterRoles of crdshift's chart and manifests: to look, and to rewrite and prune, too. */
export const VIEWER = "crdshift-viewer";
export const MIGRATOR = "crdshift-migrator";

/**
 * The command with which somebody who may bind roles gives one to a user; null stands for one whose name is not known. `kubectl` is how
 * it is called for the cluster.
 */
export function bindRoleCommand(kubectl: string, role: string, user: string | null): string {
  const account = user === null ? null : serviceAccountOf(user);
  const subject = account ? `--serviceaccount=${account.namespace}:${account.name}` : `--user=${user === null ? "USER" : quoted(user)}`;
  const name = account ? `${account.namespace}-${account.name}` : (user?.replaceAll(/[^\w.-]+/g, "-") ?? "USER");
  return `${kubectl} create clusterrolebinding ${role}-${name} --clusterrole=${role} ${subject}`;
}
