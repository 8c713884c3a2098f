import { X509Certificate } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { ApiClient, KubernetesObject } from "#lib/local-cluster/api-client.ts";
import { emptiesManagedFields } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { openDemo, ownDemoData } from "#lib/local-cluster/testing/open-demo.ts";
import { accessGrants } from "./access-grants.ts";
import { dashboards, reportTasks, secretRotations } from "./converted-crds.ts";
import { customObject, objectsPath } from "./create-demo-crd.ts";
import { workerPools } from "./current-crds.ts";
import { crdName, type DemoCrd, type DemoObject } from "./demo-crd.ts";
import { alertRoutes } from "./leftover-crds.ts";
import { rolloutPlans } from "./rollout-plans.ts";
import { databaseClaims, objectBuckets } from "./storage-crds.ts";
import { edgeRouters, nodeProfiles, siteMaps, slackTopics, smsTemplates } from "./troubled-crds.ts";

const timeout = 300_000;
const crdPath = (name: string) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;

beforeAll(ownDemoData);

describe("a definition of the demo", () => {
  let client: ApiClient;
  beforeAll(async () => {
    const opened = await openDemo();
    client = opened.client;
    return opened.demo.stop;
  }, timeout);

  describe("the API server's conditions of definitions in trouble", () => {
    /** It writes a condition some moments after what causes it. */
    const condition = (crd: DemoCrd, type: string) =>
      expect.poll(async () => (await client.get<CrdJson>(crdPath(crdName(crd)))).status.conditions.find((one) => one.type === type));

    test.each([
      { crd: smsTemplates, type: "NamesAccepted", says: { status: "True" } },
      {
        crd: slackTopics,
        type: "NamesAccepted",
        says: { status: "False", reason: "ShortNamesConflict", message: `"st" is already in use` },
      },
      { crd: slackTopics, type: "Established", says: { status: "False", reason: "NotAccepted" } },
      { crd: nodeProfiles, type: "KubernetesAPIApprovalPolicyConformant", says: { status: "False", reason: "UnapprovedAnnotation" } },
      { crd: nodeProfiles, type: "Established", says: { status: "True" } },
      { crd: edgeRouters, type: "Terminating", says: { status: "True" } },
      {
        crd: siteMaps,
        type: "NonStructuralSchema",
        says: { status: "True", message: "spec.preserveUnknownFields: Invalid value: true: must be false" },
      },
    ])("$crd.plural: $type is $says.status", async ({ crd, type, says }) => {
      await condition(crd, type).toMatchObject(says);
    });

    test("the finalizers of two objects hold up a deletion", async () => {
      await expect
        .poll(async () => (await client.list(`${objectsPath(edgeRouters, "v1")}?limit=10`)).items.map(({ metadata }) => metadata))
        .toEqual(
          ["router-1", "router-2"].map((name) =>
            expect.objectContaining({ name, finalizers: ["edge.example.com/release-address"], deletionTimestamp: expect.any(String) }),
          ),
        );
    });

    test("conversion fails without the webhook's service", async () => {
      await expect(client.list(`${objectsPath(secretRotations, "v1")}?limit=1`)).rejects.toThrow(
        /conversion webhook for security.example.com\/v1beta1, Kind=SecretRotation failed: .*service "secret-rotation-webhook" not found/,
      );
      await expect(client.list(`${objectsPath(secretRotations, "v1beta1")}?limit=1`)).resolves.toHaveProperty("items.length", 1);
    });

    test("two CA bundles expire within weeks, and the report tasks' also holds a valid certificate", async () => {
      expect(await caDaysLeft(client, dashboards)).toEqual([expect.closeTo(20, 0)]);
      expect(await caDaysLeft(client, reportTasks)).toEqual([expect.closeTo(20, 0), expect.closeTo(3_652, -1)]);
      await expect(client.list(`${objectsPath(reportTasks, "v1")}?limit=1`)).resolves.toHaveProperty("items.length", 1);
    });

    test("the worker pools have a scale subresource at each version", async () => {
      const [pool] = workerPools.objects;
      const scale = (version: string) => client.get(`${objectsPath(workerPools, version, pool?.namespace)}/${pool?.name}/scale`);
      expect(await scale("v1beta1")).toMatchObject({ kind: "Scale", spec: { replicas: 2 } });
      expect(await scale("v1")).toMatchObject({ kind: "Scale", spec: { replicas: 2 } });
    });
  });

  test("some worker pools have a field that v1beta1 lacks and nothing converts", async () => {
    const pools = async (version: string) => (await client.list<{ spec: object }>(objectsPath(workerPools, version))).items;
    const draining = (items: { spec: object }[]) => items.filter(({ spec }) => "drainSeconds" in spec).length;
    // A list may get a 429 while the API server fills its cache.
    await vi.waitFor(async () => expect([draining(await pools("v1")), draining(await pools("v1beta1"))]).toEqual([3, 0]), {
      timeout: 60_000,
    });
  });

  describe("a rewrite of the demo's objects", () => {
    test("drops nested fields from a third of the database claims", async () => {
      const claims = await rewriteDry(client, databaseClaims, "v1alpha1");
      const losses = claims.map(({ before, after }) => leafPaths(before.spec).filter((path) => !leafPaths(after?.spec).includes(path)));
      expect(losses.filter((paths) => paths.length > 0)).toHaveLength(claims.length / 3);
      expect(count(losses.flat())).toEqual({ "tuning.sharedBuffersMiB": 8, "backup.legacyWindow": 8, "replicas[].legacyZone": 4 });
    });

    test("adds a default to alert routes, which raises their generation and keeps their field managers", async () => {
      const routes = await rewriteDry(client, alertRoutes, "v1beta1");
      const woken = routes.filter(({ after }) => after?.metadata.generation === 2);
      expect(woken).toHaveLength(24);
      for (const { before, after } of woken) {
        expect(before.spec).not.toHaveProperty("tier");
        expect(after?.spec).toEqual({ ...(before.spec as object), tier: "standard" });
        expect(managers(after)).toEqual(["alert-operator v1beta1", "crdshift v1"]);
      }
      expect(routes.filter(({ before, after }) => isDeepStrictEqual(before.spec, after?.spec))).toHaveLength(12);
    });

    test("empties the managedFields of access grants, or from Kubernetes 1.37 on leaves them broken; no field manager can apply to them", async () => {
      const grants = await rewriteDry(client, accessGrants, "v1beta1");
      expect(count(grants.flatMap(({ before }) => managers(before)))).toEqual({
        "platform-operator v1alpha1": 24,
        "access-reviewer v1alpha1": 8,
      });
      const { gitVersion } = await client.get<{ gitVersion: string }>("/version");
      const left = emptiesManagedFields(gitVersion) ? [] : grants.flatMap(({ before }) => managers(before));
      expect(grants.flatMap(({ after }) => managers(after))).toEqual(left);
      expect(count(grants.flatMap(({ after }) => after?.metadata.generation))).toEqual({ 1: 16, 2: 8 });

      const [grant] = accessGrants.objects;
      const applied = customObject(accessGrants, "v1", grant as DemoObject);
      const path = `${objectsPath(accessGrants, "v1", grant?.namespace)}/${grant?.name}?fieldManager=platform-operator&dryRun=All`;
      await expect(client.request("PATCH", path, applied, "application/apply-patch+yaml")).rejects.toThrow(
        "500 request to convert CR to an invalid group/version: identity.example.com/v1alpha1",
      );
    });

    test("is rejected by the validation rules of object buckets, through the status subresource too", async () => {
      const refused = { "a bucket stays in its region, and dc-north is closed": 6, "a bucket has at least 5 GiB": 5 };
      expect(refusals(await rewriteDry(client, objectBuckets, "v1beta1"))).toEqual(refused);
      expect(refusals(await rewriteDry(client, objectBuckets, "v1beta1", "/status"))).toEqual(refused);
    });

    test("is rejected by the admission policy on rollout plans, but not through the status subresource", async () => {
      const refused = { "this rollout plan is under a change freeze; remove its label frozen=true first": 7 };
      expect(refusals(await rewriteDry(client, rolloutPlans, "v1alpha1"))).toEqual(refused);
      expect(refusals(await rewriteDry(client, rolloutPlans, "v1alpha1", "/status"))).toEqual({});
    });

    test("fails because of one report task, which no error names before Kubernetes 1.37", async () => {
      const failure = `conversion webhook for analytics.example.com/v1beta1, Kind=ReportTask failed: spec.schedule "every 5th" can't be parsed`;
      const list = objectsPath(reportTasks, "v1");
      await expect(client.list(`${list}?limit=500`)).rejects.toThrow(new RegExp(`500 .*${failure}$`));
      await expect(client.list(`${list}?limit=5`)).resolves.toHaveProperty("items.length", 5);

      const tasks = await rewriteDry(client, reportTasks, "v1beta1");
      expect(tasks.filter(({ error }) => error?.endsWith(failure)).map(({ before }) => before.metadata.name)).toEqual(["report-42"]);
      expect(tasks.filter(({ after }) => after)).toHaveLength(59);
    });
  });
});

/** Of each certificate in the bundle of a CRD's conversion webhook. */
async function caDaysLeft(client: ApiClient, crd: DemoCrd): Promise<number[]> {
  const { spec } = await client.get<CrdJson>(crdPath(crdName(crd)));
  const bundle = Buffer.from(spec.conversion.webhook?.clientConfig.caBundle ?? "", "base64").toString("utf8");
  const certificates = bundle.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? [];
  return certificates.map((pem) => (new X509Certificate(pem).validToDate.getTime() - Date.now()) / 86_400_000);
}

interface CrdJson {
  spec: { conversion: { webhook?: { clientConfig: { caBundle?: string } } } };
  status: { conditions: { type: string; status: string; reason: string; message: string }[] };
}

interface DryRun {
  before: KubernetesObject;
  after?: KubernetesObject;
  error?: string;
}

/** An empty patch at the storage version for every object, as a dry run, against the object at `from`. */
async function rewriteDry(client: ApiClient, crd: DemoCrd, from: string, subresource = ""): Promise<DryRun[]> {
  const storage = crd.versions.find((version) => version.storage)?.name ?? "";
  // With a limit: other lists are answered with 429 until the cache of a version is filled.
  const { items } = await client.list(`${objectsPath(crd, from)}?limit=500`);
  expect(items).toHaveLength(crd.objects.length);
  return Promise.all(
    items.map((before) => {
      const path = `${objectsPath(crd, storage, before.metadata.namespace)}/${before.metadata.name}${subresource}`;
      return client.mergePatch(`${path}?dryRun=All&fieldManager=crdshift`, {}).then(
        (after) => ({ before, after }),
        (error: Error) => ({ before, error: error.message }),
      );
    }),
  );
}

/** How many objects were refused with each reason: what comes after the last colon and space. */
function refusals(dryRuns: DryRun[]): Record<string, number> {
  return count(dryRuns.flatMap(({ error }) => (error === undefined ? [] : [error.slice(error.lastIndexOf(": ") + 2)])));
}

function count(values: unknown[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[String(value)] = (counts[String(value)] ?? 0) + 1;
  return counts;
}

/** "manager version" of each entry of managedFields, in order of managers. */
function managers(object: KubernetesObject | undefined): string[] {
  const entries = (object?.metadata.managedFields ?? []) as { manager: string; apiVersion: string }[];
  return entries.map(({ manager, apiVersion }) => `${manager} ${apiVersion.split("/")[1]}`).sort();
}

/** The paths of all values, list items as "[]", each once. */
function leafPaths(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Object.entries(value).map(([key, item]) => [Array.isArray(value) ? `${path}[]` : path ? `${path}.${key}` : key, item]);
  return [...new Set(below.flatMap(([key, item]) => leafPaths(item, key)))];
}
