import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";

export interface RestrictedUser {
  /** As the API server calls it. */
  name: string;
  token: string;
}

/** A service account, for this test, that may do what the rules say and nothing else. */
export async function restrictedUser(api: ApiClient, rules: object[]): Promise<RestrictedUser> {
  const name = `restricted-${randomBytes(4).toString("hex")}`;
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const made: string[] = [];
  onTestFinished(async () => {
    for (const path of made) await api.delete(path);
  });
  const make = async (collection: string, body: object) => {
    await api.create(collection, { metadata: { name }, ...body });
    made.push(`${collection}/${name}`);
  };
  await make(accounts, {});
  await make(`${rbac}/clusterroles`, { rules });
  await make(`${rbac}/clusterrolebindings`, {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  const { status } = await api.create<{ status: { token: string } }>(`${accounts}/${name}/token`, { spec: {} });
  return { name: `system:serviceaccount:default:${name}`, token: status.token };
}
