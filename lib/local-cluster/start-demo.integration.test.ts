import { beforeAll, expect, test } from "vitest";
import { ownDemoData, startDemoForTest } from "./testing/open-demo.ts";

const timeout = 300_000;
const crdPath = (name: string) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
const cronTabPath = (version: string) => `/apis/stable.example.com/${version}/namespaces/team-search/crontabs/nightly-report-0002`;

beforeAll(ownDemoData);

test("the demo has definitions in every state, each with its real cause", { timeout }, async () => {
  const { client, rewritten } = await startDemoForTest();
  const crds = await client.list<{ metadata: { name: string }; status: { storedVersions: string[] } }>(crdPath(""));
  expect(Object.fromEntries(crds.items.map((crd) => [crd.metadata.name.split(".")[0], crd.status.storedVersions]))).toEqual({
    accessgrants: ["v1beta1", "v1"],
    alertroutes: ["v1beta1", "v1"],
    backupschedules: ["v1beta1", "v1"],
    certificatebundles: ["v1alpha1", "v1"],
    costcenters: ["v1"],
    crontabs: ["v1beta1", "v1"],
    dashboards: ["v1"],
    databaseclaims: ["v1alpha1", "v1"],
    edgerouters: ["v1"],
    featureflags: ["v1"],
    imagemirrors: ["v1"],
    messagequeues: ["v1"],
    multiregionfailovertrafficdistributionpolicies: ["v1alpha1"],
    nodeprofiles: ["v1alpha1"],
    objectbuckets: ["v1beta1", "v1"],
    reporttasks: ["v1beta1", "v1"],
    rolloutplans: ["v1alpha1", "v1beta1"],
    secretrotations: ["v1beta1", "v1"],
    sitemaps: ["v1"],
    slacktopics: ["v1"],
    smstemplates: ["v1beta1"],
    tenantquotas: ["v1alpha2", "v1"],
    trafficpolicies: ["v1alpha3", "v1"],
    versionordersamples: ["v1", "v2"],
    workerpools: ["v1"],
  });
  expect(rewritten).toEqual(["trafficpolicies.mesh.example.com"]);

  const cronTabs = await client.list("/apis/stable.example.com/v1/crontabs?limit=1");
  expect(cronTabs.metadata.remainingItemCount).toBe(1_499);
  expect((await client.get(cronTabPath("v1"))).spec).toMatchObject({ host: "reports-1.example.com", port: "8001" });
  expect((await client.get(cronTabPath("v1beta1"))).spec).toMatchObject({ hostPort: "reports-1.example.com:8001" });

  await expect(client.list("/apis/security.example.com/v1/certificatebundles")).rejects.toThrow(/404/);
});

test("a second start of the demo keeps its content and changes no definition", { timeout }, async () => {
  const before = await startDemoForTest();
  const crd = await before.client.get(crdPath("crontabs.stable.example.com"));
  await before.client.delete(cronTabPath("v1"));
  await before.demo.stop();

  const after = await startDemoForTest();
  expect(after.rewritten).toEqual([]);
  expect(await after.client.get(crdPath("crontabs.stable.example.com"))).toEqual(crd);
  await expect(after.client.get(cronTabPath("v1"))).rejects.toThrow(/404/);
  await expect(startDemoForTest()).rejects.toThrow(/already running/);
});
