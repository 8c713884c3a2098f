import { expect, test } from "vitest";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { standInMigrations } from "#lib/cluster/testing/stand-in-migrations.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { benchIn } from "#lib/rewrite/testing/bench/bench-in.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { etcdHistory } from "#lib/rewrite/testing/etcd/etcd-history.ts";

// Delegation by users who lack a right on StorageVersionMigrations. No controller stands behind these.

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const inTreeApi = { group: "storagemigration.k8s.io", resource: "storageversionmigrations" };

const { cluster, api } = await ownCluster();
const inTree = await standInMigrations(api, "storagemigration.k8s.io", "v1");

test("without the right to create StorageVersionMigrations, the start or the run says so, and nothing else is written", async () => {
  const proxy = await faultProxy(cluster);
  const { changes } = await etcdHistory(cluster.etcd);
  const definition = await (await benchIn({ cluster, api })).stale(2);
  const user = await restrictedUser(api, rulesFor(definition, ["get", "list", "delete"]));
  const bench = await benchIn({ cluster, api }, { server: proxy.server, token: user.token });
  const mayCreate = async () => (await mayI(bench.connection, { verb: "create", ...inTreeApi }, soon())).allowed;
  const before = (await changes()).length;

  // Without checkRights (check-delegation.ts) it begins, and fails after its dry run and its settle wait.
  const start = () => bench.start(definition, { engine: "in-tree", acceptUnseen: true });
  await expect(start()).rejects.toMatchObject({
    code: "forbidden",
    message: "You can't create storageversionmigrations in storagemigration.k8s.io.",
    nextStep: "Ask for a role with these verbs, or rewrite with crdshift's own engine.",
  });
  const written = async () => [...new Set((await changes()).slice(before).map(({ key }) => key))].filter(isOf(definition));
  expect(await written()).toEqual([]);

  // The right is taken away while the run settles: its request is held until the API server knows that.
  await user.grant(rulesFor(definition, ["get", "list", "delete", "create"]));
  await expect.poll(mayCreate).toBe(true);
  const create = proxy.hold(({ method, path }) => method === "POST" && path.includes("/storageversionmigrations"), "before");
  const { id } = await start();
  await create.reached;
  await user.grant(rulesFor(definition, ["get", "list", "delete"]));
  await expect.poll(mayCreate).toBe(false);
  create.release();
  // Without the stop for an answer that waiting doesn't fix (classify-failure.ts) it tries again for ten minutes.
  expect(await bench.endOf(definition, id)).toMatchObject({
    phase: "failed",
    statusReason: expect.stringMatching(/The cluster denied POST .*cannot create resource "storageversionmigrations"/),
    delegation: { phase: null, left: null },
  });
  expect(await written()).toEqual([`/registry/apiextensions.k8s.io/customresourcedefinitions/${definition.name}`]);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect(await bench.storedAs(definition)).toEqual({ v1beta1: 2 });
});

// With the definition as it was when the run began (delegate-rewrite.ts) a second migration is created beside the first.
test("without the right to list them, what the definition says of another's migration during the settle wait ends the run", async () => {
  const definition = await (await benchIn({ cluster, api })).stale(1);
  const user = await restrictedUser(api, rulesFor(definition, ["create", "get", "delete"]));
  const bench = await benchIn({ cluster, api }, { token: user.token });
  const options = { engine: "in-tree", acceptUnseen: true, settleSeconds: 5, signal: soon() } as const;
  const { id } = await startRewrite(bench.connection, definition.name, options);
  await expect.poll(() => bench.run(definition, id)).toMatchObject({ phase: "settling", settlesAt: expect.any(String) });
  const { conditions } = (await api.get<{ status: { conditions: object[] } }>(`${DEFINITIONS}/${definition.name}`)).status;
  const said = { type: "StorageMigrating", status: "True", reason: "Running", message: "Migration another is running" };
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { conditions: [...conditions, said] } });

  expect(await bench.endOf(definition, id)).toMatchObject({
    phase: "failed",
    statusReason: "The cluster's own StorageVersionMigration another is running.",
    delegation: { phase: null, left: null },
  });
  expect(await inTree.names()).not.toContain(migrationName(id, 2));
});

/** What crdshift needs for a definition, with these verbs on StorageVersionMigrations. */
function rulesFor({ group, plural }: SampleDefinition, verbs: string[]): object[] {
  const resources = ["customresourcedefinitions", "customresourcedefinitions/status"];
  return [
    { apiGroups: ["apiextensions.k8s.io"], resources, verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [group], resources: [plural], verbs: ["get", "list", "patch"] },
    { apiGroups: ["storagemigration.k8s.io"], resources: ["storageversionmigrations"], verbs },
  ];
}

/** Whether a key in etcd is the definition, an object of it, or anybody's StorageVersionMigration. */
function isOf({ name, group }: SampleDefinition): (key: string) => boolean {
  return (key) => key.endsWith(`/${name}`) || key.startsWith(`/registry/${group}/`) || key.includes("/storageversionmigrations/");
}
