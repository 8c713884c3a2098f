import { createHash } from "node:crypto";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { ApiClient, KubernetesObject } from "#lib/local-cluster/api-client.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CONCURRENCY = 16;
const GIVE_UP_MS = 30 * 60_000;
const LOOK_EVERY_MS = 2_000;
const PAGE_SIZE = 250;

const KINDS_PER_GROUP = 10;
/** Of every ten definitions seven have one version, two have two and one has three, as the controllers' bundles do, about. */
const VERSION_SETS = [
  ["v1"],
  ["v1"],
  ["v1"],
  ["v1"],
  ["v1"],
  ["v1"],
  ["v1"],
  ["v1", "v1beta1"],
  ["v1", "v1beta1"],
  ["v1", "v1beta1", "v1alpha1"],
];
/** Every twentieth has leftover versions, and so something to say. */
const LEFTOVERS_EVERY = 20;
const FIELDS = 105;
const FIELD_TEXT =
  "What this field is for, which values it takes, what the controller does when it is left out, and since which release it is there. ";

/** The bytes of one definition's schemas, about. */
export const SCHEMA_KIB = 20;

interface Definition extends KubernetesObject {
  status?: { conditions?: { type: string; status: string }[] };
}

/** Creates so many definitions, without objects, and returns when all are Established; those of an earlier part are taken as they are. */
export async function createFleet(api: ApiClient, count: number): Promise<void> {
  if ((await established(api)) >= count) return;
  const signal = AbortSignal.timeout(GIVE_UP_MS);
  const indexes = Array.from({ length: count }, (_, index) => index);
  let created = 0;
  await forEachConcurrently(indexes, { concurrency: CONCURRENCY, signal }, async (index) => {
    await api.create(DEFINITIONS, definition(index));
    created += 1;
    if (created % 250 === 0) console.error(`${created} of ${count} definitions …`);
  });
  while ((await established(api)) < count) await sleep(LOOK_EVERY_MS, signal);
  const withLeftovers = indexes.filter((index) => index % LEFTOVERS_EVERY === 0);
  await forEachConcurrently(withLeftovers, { concurrency: CONCURRENCY, signal }, async (index) => {
    const { metadata, spec } = definition(index);
    const storedVersions = spec.versions.map(({ name }) => name).reverse();
    await api.mergePatch(`${DEFINITIONS}/${metadata.name}`, { status: { storedVersions } }, { subresource: "status" });
  });
}

async function established(api: ApiClient): Promise<number> {
  let [count, next] = [0, ""];
  do {
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...(next && { continue: next }) });
    const { items, metadata } = await api.list<Definition>(`${DEFINITIONS}?${query}`);
    count += items.filter(isEstablished).length;
    next = metadata.continue ?? "";
  } while (next);
  return count;
}

function isEstablished({ metadata, status }: Definition): boolean {
  const isOurs = metadata.name.endsWith(GROUP_SUFFIX);
  return isOurs && status?.conditions?.some(({ type, status: state }) => type === "Established" && state === "True") === true;
}

const GROUP_SUFFIX = ".fleet.crdshift.dev";

function definition(index: number) {
  const group = `group${Math.floor(index / KINDS_PER_GROUP)}${GROUP_SUFFIX}`;
  // Names as different as real ones, since the answer is compressed.
  const word = createHash("sha256").update(String(index)).digest("hex").slice(0, 12);
  const [singular, kind] = [`resource${word}`, `Resource${word}`];
  const names = versionsOf(index);
  const properties = schemaProperties(Math.ceil(FIELDS / names.length));
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List` },
      versions: names.map((name, position) => ({ name, served: true, storage: position === 0, schema })),
    },
  };
}

function versionsOf(index: number): string[] {
  if (index % LEFTOVERS_EVERY === 0) return ["v1", "v1beta1"];
  return VERSION_SETS[index % VERSION_SETS.length] ?? ["v1"];
}

function schemaProperties(count: number): Record<string, object> {
  const names = Array.from({ length: count }, (_, index) => `field${String(index).padStart(2, "0")}`);
  return Object.fromEntries(names.map((name) => [name, { type: "string", description: `${name}. ${FIELD_TEXT}` }]));
}
