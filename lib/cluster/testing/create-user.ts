import { randomBytes } from "node:crypto";
import { sleep } from "#lib/async/sleep.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";

export interface CreatedUser {
  /** As the API server calls it. */
  name: string;
  token: string;
  /** From now on, or as soon as the API server has noticed, it may do what these rules say. */
  grant(rules: object[]): Promise<void>;
  /** Deletes the account; resolves once the API server refuses its token, which it believes for ten seconds after it last looked. */
  revoke(): Promise<void>;
  /** Creates the account again, with the same permissions. Resolves to its new token. */
  renew(): Promise<string>;
  /** Takes all of it away. */
  remove(): Promise<void>;
}

const REVOKED_WITHIN_MS = 30_000;
const GRANTED_WITHIN_MS = 30_000;
const REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** A service account that may do what the rules say and nothing else; the API server knows of it when this returns. */
export async function createUser(api: ApiClient, rules: object[]): Promise<CreatedUser> {
  const name = `restricted-${randomBytes(4).toString("hex")}`;
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const made = new Set<string>();
  const make = async (collection: string, body: object) => {
    await api.create(collection, { metadata: { name }, ...body });
    made.add(`${collection}/${name}`);
  };
  const remove = async (path: string) => {
    made.delete(path);
    await api.delete(path);
  };
  await make(accounts, {});
  await make(`${rbac}/clusterroles`, { rules });
  await make(`${rbac}/clusterrolebindings`, {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
  const newToken = async () => (await api.create<{ status: { token: string } }>(`${accounts}/${name}/token`, { spec: {} })).status.token;
  const token = await newToken();
  const isAccepted = async () => {
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token } };
    const path = "/apis/authentication.k8s.io/v1/tokenreviews";
    return (await api.create<{ status: { authenticated?: boolean } }>(path, review)).status.authenticated ?? false;
  };
  const user = `system:serviceaccount:default:${name}`;
  const deadline = AbortSignal.timeout(GRANTED_WITHIN_MS);
  // The role comes into force as a whole, but may take a moment.
  for (const rule of rules) while (!(await isAllowed(api, user, rule))) await sleep(50, deadline);
  return {
    name: user,
    token,
    async grant(granted) {
      await api.mergePatch(`${rbac}/clusterroles/${name}`, { rules: granted });
    },
    async revoke() {
      await remove(`${accounts}/${name}`);
      const signal = AbortSignal.timeout(REVOKED_WITHIN_MS);
      while (await isAccepted()) await sleep(250, signal);
    },
    async renew() {
      await make(accounts, {});
      return newToken();
    },
    async remove() {
      for (const path of [...made]) await remove(path);
    },
  };
}

interface Rule {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs?: string[];
}

/** Whether the API server lets the user do the first thing that the rule names. */
async function isAllowed(api: ApiClient, user: string, rule: Rule): Promise<boolean> {
  const [verb, path, [resource, subresource] = []] = [rule.verbs?.[0], rule.nonResourceURLs?.[0], rule.resources?.[0]?.split("/")];
  const spec =
    path === undefined
      ? { user, resourceAttributes: { verb, group: rule.apiGroups?.[0], resource, subresource, name: rule.resourceNames?.[0] } }
      : { user, nonResourceAttributes: { verb, path } };
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
  return (await api.create<{ status: { allowed: boolean } }>(REVIEWS, review)).status.allowed;
}
