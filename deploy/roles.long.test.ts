import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { type ApiClient, apiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { inTreeEngine, nudge } from "#lib/local-cluster/testing/in-tree-engine.ts";
import { type Helm, openHelm } from "./helm.ts";
import { askAs, type Method } from "./testing/ask-as.ts";
import { type Kubectl, openKubectl } from "./testing/kubectl.ts";
import { readRendered, startAsInPod } from "./testing/start-as-in-pod.ts";
import { assembleImage, type Image, type RunningImage } from "./testing/start-image.ts";

// The chart's roles on an API server, and people who have them at the image's own command: every route is asked by each of them.

const CONTEXT = "in-cluster";
const versions: SampleVersion[] = [
  { name: "v1", hasStatus: true },
  { name: "v1beta1", storage: true, hasStatus: true },
];
/** At one a second, enough for all that is asked of a rewrite while it is at work. */
const OBJECTS = 40;
const OBJECT = "widget-000003";
const SOON = { timeout: 60_000, interval: 100 };

/** Signed in by the token of a service account with that role, and of the cluster's administrator. */
type Who = "viewer" | "migrator" | "admin";

let cluster: LocalCluster;
let api: ApiClient;
let helm: Helm;
let kubectl: Kubectl;
let image: Image;
let running: RunningImage;
/** Named in roles.groups, and one that is not. */
let chosen: SampleDefinition;
let other: SampleDefinition;
let delegated: SampleDefinition;
let converted: SampleDefinition;
const tokens = new Map<Who, string>();

const groupsOf = (...definitions: SampleDefinition[]) => definitions.map(({ group, plural }) => ({ name: group, resources: [plural] }));

beforeAll(async () => {
  cluster = await startLocalCluster({ controllerManager: true });
  api = apiClient(cluster);
  helm = await openHelm();
  kubectl = await openKubectl(cluster);
  chosen = await createDefinition(api, versions);
  other = await createDefinition(api, versions);
  delegated = await createDefinition(api, versions);
  // Nothing asks the webhook while there is one version.
  const url = "https://127.0.0.1:1/convert";
  const webhook = { clientConfig: { url }, conversionReviewVersions: ["v1"] };
  converted = await createDefinition(api, [{ name: "v1", storage: true }], { conversion: { strategy: "Webhook", webhook } });
  for (const definition of [chosen, other, delegated]) await definition.createObjects("v1beta1", OBJECTS);

  const documents = readRendered(
    helm.template(
      {
        ...{ image: "registry.example.com/crdshift", settleSeconds: 0, session: { keys: randomBytes(32).toString("base64") } },
        roles: {
          groups: groupsOf(chosen, delegated, converted),
          viewers: [{ kind: "ServiceAccount", name: "viewer", namespace: "default" }],
          migrators: [{ kind: "ServiceAccount", name: "migrator", namespace: "default" }],
        },
      },
      "crdshift",
    ),
  );
  kubectl(
    ["create", "--filename", "-"],
    documents.filter(({ apiVersion }) => apiVersion.startsWith("rbac.")),
  );
  for (const role of ["viewer", "migrator"] as const) {
    kubectl(["create", "serviceaccount", role, "--namespace", "default"]);
    tokens.set(role, kubectl(["create", "token", role, "--namespace", "default"]).trim());
  }
  tokens.set("admin", cluster.token);

  image = assembleImage();
  running = await startAsInPod(image, documents, { cluster });
});

afterAll(async () => {
  await running?.stop();
  image?.remove();
  api?.close();
  await cluster?.stop();
});

const { asked, send, get, expectReadable, expectRefused, expectDone } = askAs<Who>(() => ({ url: running.url, tokens }));
const below = ({ name }: SampleDefinition, rest = "") => `clusters/${CONTEXT}/crds/${name}${rest}`;

/** Something that takes permissions: refused to the viewer, and to the migrator elsewhere; the administrator keeps the other definition. */
async function step(
  method: Method,
  rest: string | ((definition: SampleDefinition) => string),
  body?: (definition: SampleDefinition) => object,
) {
  const at = (definition: SampleDefinition) => below(definition, typeof rest === "string" ? rest : rest(definition));
  await expectRefused("viewer", method, at(chosen), body?.(chosen));
  await expectRefused("migrator", method, at(other), body?.(other));
  const done = await expectDone("migrator", method, at(chosen), body?.(chosen));
  const level = await expectDone("admin", method, at(other), body?.(other));
  return { [chosen.name]: done, [other.name]: level } as Record<string, { id?: string }>;
}

// The user who started a run sees changes at once, others when its record is renewed.
const phaseOf = async (definition: SampleDefinition, run: string) =>
  (await get<Run>(definition === other ? "admin" : "migrator", below(definition, `/rewrites/${run}`))).phase;
const endsWell = (definition: SampleDefinition, run: string) => expect.poll(() => phaseOf(definition, run), SOON).toBe("succeeded");

test("the viewer reads every definition and the objects of the chosen ones, and neither role those of others", async () => {
  const ofCluster = ["clusters", `clusters/${CONTEXT}/crds`, `clusters/${CONTEXT}/migrations`];
  const ofDefinition = ["", "/history", "/conversion", "/rewrites", "/dry-runs", "/rights", "/versions/v1/manifest", "/object-counts"];
  const object = `/objects/${OBJECT}`;
  const named = [`${object}?namespace=default`, `${object}/download?namespace=default`];
  const ofObjects = ["/objects", ...named, "/finalizers", "/managed-fields"];
  for (const who of ["viewer", "migrator"] as const) {
    for (const at of ofCluster) await expectReadable(who, at);
    for (const rest of ofDefinition) {
      for (const definition of [chosen, other]) await expectReadable(who, below(definition, rest));
    }
    for (const rest of [...ofObjects, "/versions/v1/losses", "/conversion/probe"]) await expectReadable(who, below(chosen, rest));
    for (const rest of ofObjects) await expectRefused(who, "GET", below(other, rest));
    const events = await send(who, "GET", `clusters/${CONTEXT}/events`);
    const { value } = (await events.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? "").toString()).toContain("event: ready");
  }
  // Not even who may read an API server's metrics is the viewer's to know.
  await expectRefused("viewer", "GET", below(chosen, "/requests"));
  await expectReadable("migrator", below(chosen, "/requests"));
});

test("the permissions that the dashboard asks for are the migrator's, for the chosen definitions, and none of them the viewer's", async () => {
  const missing = async (who: Who, definition: SampleDefinition) => {
    const answered = await get<{ missing: Record<string, unknown[]> }>(who, below(definition, "/rights"));
    return Object.entries(answered.missing).flatMap(([action, rights]) => (rights.length > 0 ? [action] : []));
  };
  const all = ["dry-run", "rewrite", "prune", "change-spec", "clean", "control"];
  expect(await missing("migrator", chosen)).toEqual([]);
  expect((await missing("viewer", chosen)).sort()).toEqual(all.toSorted());
  expect((await missing("migrator", other)).sort()).toEqual(all.toSorted());
});

test("the migrator flips, dry-runs, rewrites, prunes, cleans, removes and puts back the chosen; the viewer none of it, and neither the others", async () => {
  await step("PATCH", "/versions/v1beta1", () => ({ deprecated: true }));
  // A preview tells the cluster's refusal instead of failing with it.
  for (const [who, definition, rejection] of [
    ["viewer", chosen, expect.stringContaining("forbidden")],
    ["migrator", other, expect.stringContaining("forbidden")],
    ["migrator", chosen, undefined],
  ] as const) {
    const preview = await expectDone(who, "POST", below(definition, "/versions/v1/preview"), { storage: true });
    expect((preview as { rejection: { message: string } | null }).rejection?.message).toEqual(rejection);
  }
  await expectRefused("viewer", "POST", below(chosen, "/edit-check"));
  await expectRefused("migrator", "POST", below(other, "/edit-check"));
  expect(await expectDone("migrator", "POST", below(chosen, "/edit-check"))).toMatchObject({ result: { verdict: "accepted" } });
  await step("PATCH", "/versions/v1", () => ({ storage: true, acceptLosses: true }));
  await expect.poll(async () => (await chosen.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);

  // Everybody may try; without permission to patch, a dry run finds out nothing but that.
  for (const [who, definition, permissions] of [
    ["viewer", chosen, "fail"],
    ["migrator", other, "fail"],
    ["migrator", chosen, "pass"],
  ] as const) {
    const { id } = (await expectDone(who, "POST", below(definition, "/dry-runs"))) as { id: string };
    const dryRun = () => get<{ phase: string; checks: { name: string; status: string }[] }>(who, below(definition, `/dry-runs/${id}`));
    await expect.poll(async () => (await dryRun()).phase, SOON).not.toBe("running");
    const { phase, checks } = await dryRun();
    expect(checks.find(({ name }) => name === "permissions")).toMatchObject({ status: permissions });
    if (permissions === "pass") expect([phase, checks.map(({ status }) => status)]).toEqual(["succeeded", checks.map(() => "pass")]);
    expect((await send(who, "POST", below(definition, `/dry-runs/${id}/cancel`))).status).toBe(409);
  }

  const slow = await step("POST", "/rewrites", () => ({ acceptUnseen: true, maxPerSecond: 1 }));
  const ofSlow = (rest: string) => (definition: SampleDefinition) => `/rewrites/${slow[definition.name]?.id}${rest}`;
  const areAll = async (phase: Run["phase"]) => {
    for (const definition of [chosen, other]) {
      await expect.poll(() => phaseOf(definition, slow[definition.name]?.id ?? ""), SOON).toBe(phase);
    }
  };
  await areAll("rewriting");
  await step("PATCH", ofSlow(""), () => ({ maxPerSecond: 2 }));
  await step("POST", ofSlow("/pause"));
  await areAll("paused");
  await step("POST", ofSlow("/resume"));
  await step("POST", ofSlow("/cancel"));
  await areAll("cancelled");

  const whole = await step("POST", "/rewrites", () => ({ acceptUnseen: true }));
  for (const definition of [chosen, other]) await endsWell(definition, whole[definition.name]?.id ?? "");
  for (const who of ["viewer", "migrator"] as const) {
    await expectReadable(who, below(chosen, "/rewrites"));
    await expectReadable(who, below(chosen, `/rewrites/${whole[chosen.name]?.id}/report`));
  }
  const confirm = ({ name }: SampleDefinition) => ({ confirm: name });
  await step("POST", "/stored-versions/prune", confirm);
  await step("POST", "/stored-versions/restore", () => ({ versions: ["v1beta1"] }));
  await step("POST", "/stored-versions/prune", confirm);
  await cleans();
  await step("PATCH", "/versions/v1beta1", () => ({ served: false }));
  await step("POST", "/versions/v1beta1/remove", () => ({ confirm: "v1beta1", acceptManagedFields: true }));
  await step("POST", "/versions/v1beta1/restore");
  expect((await chosen.read()).spec.versions.map(({ name }) => name)).toEqual(["v1", "v1beta1"]);

  // Every Event of the migrator's was taken.
  const history = await get<{ items: { kind: string }[] }>("viewer", below(chosen, "/history"));
  expect(history.items.length).toBeGreaterThan(5);
  expect(running.output()).not.toContain("No Event could be written");
});

/** Cleaning answers with what became of each object, and so with each refusal, where they may be listed. */
async function cleans(): Promise<void> {
  const clean = (who: Who) => expectDone(who, "POST", below(chosen, "/managed-fields/clean"), { versions: ["v1beta1"] });
  expect(await clean("viewer")).toMatchObject({ cleaned: 0, rejected: OBJECTS, rejections: [{ reason: "Forbidden", count: OBJECTS }] });
  await expectRefused("migrator", "POST", below(other, "/managed-fields/clean"), { versions: ["v1beta1"] });
  expect(await clean("migrator")).toMatchObject({ cleaned: OBJECTS, rejected: 0 });
}

test("the migrator drops a conversion webhook and puts it back, and the viewer does not", async () => {
  for (const action of ["drop", "restore"]) {
    await expectRefused("viewer", "POST", below(converted, `/conversion/${action}`));
    await expectDone("migrator", "POST", below(converted, `/conversion/${action}`));
  }
});

test("the migrator leaves a rewrite to the cluster's own engine", async () => {
  await expectDone("migrator", "PATCH", below(delegated, "/versions/v1"), { storage: true, acceptLosses: true });
  await inTreeEngine(cluster, api).learn();
  await expectRefused("viewer", "POST", below(delegated, "/rewrites"), { engine: "in-tree", acceptUnseen: true });
  const { id } = (await expectDone("migrator", "POST", below(delegated, "/rewrites"), { engine: "in-tree", acceptUnseen: true })) as {
    id: string;
  };
  await expect
    .poll(async () => {
      await nudge(api, delegated);
      return phaseOf(delegated, id);
    }, SOON)
    .toBe("succeeded");
  expect(await get<Run>("viewer", below(delegated, `/rewrites/${id}`))).toMatchObject({ delegation: { phase: "succeeded" } });
  expect((await get<CrdDetail>("viewer", below(delegated))).storedVersions).toEqual(["v1"]);
});

test("every route of the HTTP surface below clusters was asked", () => {
  const root = path.resolve(import.meta.dirname, "../app/api");
  const routes = globSync("clusters/**/route.ts", { cwd: root }).flatMap((file) =>
    [...readFileSync(path.join(root, file), "utf8").matchAll(/^export const (GET|POST|PATCH|PUT|DELETE)\b/gm)].map(
      ([, method]) => `${method} ${path.dirname(file)}`,
    ),
  );
  expect(routes.length).toBeGreaterThan(30);
  const isAsked = (route: string) => {
    const pattern = new RegExp(`^${route.replaceAll(/\[\w+\]/g, "[^/]+")}$`);
    return [...asked].some((request) => pattern.test(request));
  };
  expect(routes.filter((route) => !isAsked(route))).toEqual([]);
});

test.each([
  ["delete", { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }],
  ["create", { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" }],
  ["create", { resource: "objects" }],
  ["update", { resource: "objects" }],
  ["delete", { resource: "objects" }],
  ["list", { group: "", resource: "secrets" }],
  ["list", { group: "", resource: "pods" }],
  ["list", { group: "", resource: "events", namespace: "kube-system" }],
  ["create", { group: "", resource: "events", namespace: "kube-system" }],
  ["create", { group: "", resource: "serviceaccounts", subresource: "token" }],
  ["patch", { group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" }],
  ["impersonate", { group: "", resource: "users" }],
])("neither role may %s %j", async (verb, asked) => {
  const resource = asked.resource === "objects" ? { group: chosen.group, resource: chosen.plural } : asked;
  for (const name of ["viewer", "migrator"]) {
    const spec = { user: `system:serviceaccount:default:${name}`, resourceAttributes: { verb, ...resource } };
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    expect((await api.create<{ status: { allowed: boolean } }>(path, review)).status.allowed).toBe(false);
  }
});
