import { randomBytes } from "node:crypto";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { sleep } from "#lib/async/sleep.ts";
import { type ApiClient, ApiError } from "./api-client.ts";
import { type Etcd, readEtcd } from "./etcd.ts";

/** A definition on a local cluster for a test or a benchmark: widgets of a group of their own. */
export interface SampleDefinition {
  /** `widgets.<group>` */
  name: string;
  group: string;
  plural: "widgets";
  scope: "Namespaced" | "Cluster";
  /** The path of a collection, or of one object. */
  path(version: string, object?: { namespace?: string; name: string }): string;
  /** Creates objects `widget-000000`, … in namespace default. */
  createObjects(version: string, count: number, spec?: (index: number) => object): Promise<void>;
  /** Changes flags of versions, as a person would: a change of the spec. */
  setVersions(versions: SampleVersion[], conversion?: SampleConversion): Promise<void>;
  /** The same, and resolves once the API server serves, converts and stores by it. */
  flip(versions: SampleVersion[], conversion?: SampleConversion): Promise<void>;
  read(): Promise<DefinitionJson>;
  /** The objects as they are in etcd, by name. */
  storedValues(etcd: Etcd): Promise<Map<string, StoredValue>>;
  remove(): Promise<void>;
  /** Resolves once it is removed. */
  untilGone(): Promise<void>;
}

export interface SampleVersion {
  name: string;
  storage?: boolean;
  served?: boolean;
  deprecated?: boolean;
  /** Only a deprecated one may have it. */
  deprecationWarning?: string;
  /** Properties of spec; by default any field is kept. */
  properties?: Record<string, object>;
  /** Rules in CEL on the whole object. */
  rules?: { rule: string; message: string }[];
  /** Whether it has the subresource `/status`. */
  hasStatus?: boolean;
  /** Properties of status if it has one; by default any field is kept. */
  status?: Record<string, object>;
  /** Whether fields beside spec that the schema does not know are kept. */
  keepsUnknown?: boolean;
  /** A column of its tables beside the usual ones. */
  column?: string;
}

/**
 * What spec.conversion of a definition takes.
 * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
export type SampleConversion = { strategy: string; webhook?: object | null };

export interface DefinitionJson {
  metadata: { uid: string; generation: number; resourceVersion: string; annotations?: Record<string, string> };
  spec: { versions: { name: string }[] };
  status: { storedVersions: string[]; conditions: { type: string; status: string; lastTransitionTime: string }[] };
}

export interface StoredValue {
  apiVersion: string;
  metadata: {
    name: string;
    namespace?: string;
    uid: string;
    generation: number;
    managedFields?: { manager: string; operation: string; apiVersion: string; subresource?: string; fieldsV1: object }[];
  };
  /** The whole value. */
  text: string;
  /** The bytes of the spec as text. */
  specText: string;
  modRevision: bigint;
}

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const CREATE_CONCURRENCY = 16;
const DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** Creates a definition and returns once its objects can be listed at every served version. */
export async function createDefinition(
  api: ApiClient,
  versions: SampleVersion[],
  options: { scope?: "Namespaced" | "Cluster"; group?: string; conversion?: SampleConversion } = {},
): Promise<SampleDefinition> {
  const { scope = "Namespaced", conversion = { strategy: "None" }, group = `g${randomBytes(5).toString("hex")}.example.com` } = options;
  const name = `widgets.${group}`;
  const names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };
  await api.create(DEFINITIONS, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: { group, scope, names, conversion, versions: versions.map(versionJson) },
  });
  const path: SampleDefinition["path"] = (version, object) => {
    const namespace = scope === "Namespaced" && object ? `/namespaces/${object.namespace ?? "default"}` : "";
    return `/apis/${group}/${version}${namespace}/widgets${object?.name ? `/${object.name}` : ""}`;
  };
  await backdateEstablished(api, name);
  for (const version of versions) if (version.served !== false) await listable(api, path(version.name));

  const setVersions: SampleDefinition["setVersions"] = async (next, nextConversion) => {
    const spec = { versions: next.map(versionJson), ...(nextConversion && { conversion: nextConversion }) };
    await api.mergePatch(`${DEFINITIONS}/${name}`, { spec });
  };

  return {
    name,
    group,
    plural: "widgets",
    scope,
    path,
    async createObjects(version, count, spec = (index) => ({ size: index })) {
      const indexes = Array.from({ length: count }, (_, index) => index);
      await forEachConcurrently(indexes, { concurrency: CREATE_CONCURRENCY, signal: AbortSignal.timeout(600_000) }, async (index) => {
        const object = { apiVersion: `${group}/${version}`, kind: "Widget", metadata: { name: objectName(index) }, spec: spec(index) };
        await api.create(path(version, { name: "" }), object);
      });
    },
    setVersions,
    async flip(next, nextConversion) {
      const column = `c${randomBytes(4).toString("hex")}`;
      await setVersions(
        next.map((version) => ({ ...version, column })),
        nextConversion,
      );
      const served = next.filter((version) => version.served !== false);
      const seen = served.find(({ storage }) => storage) ?? served[0];
      const { name: version = "" } = seen ?? next[0] ?? {};
      await untilAnswered(api, path(version, { namespace: "none", name: "" }), seen ? column : 404);
    },
    read: () => api.get<DefinitionJson>(`${DEFINITIONS}/${name}`),
    async storedValues(etcd) {
      const entries = await readEtcd(etcd, `/registry/${group}/widgets/`);
      return new Map(entries.map(({ value, modRevision }) => storedValue(Buffer.from(value).toString("utf8"), modRevision)));
    },
    async remove() {
      await api.delete(`${DEFINITIONS}/${name}`);
    },
    async untilGone() {
      const isGone = (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return true;
        throw error;
      };
      const giveUp = AbortSignal.timeout(DEADLINE_MS);
      while (!(await api.get(`${DEFINITIONS}/${name}`).then(() => false, isGone))) await sleep(LOOK_EVERY_MS, giveUp);
    },
  };
}

/** The name of the index-th object. */
export function objectName(index: number): string {
  return `widget-${String(index).padStart(6, "0")}`;
}

const ANY_OBJECT = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function versionJson(version: SampleVersion) {
  const {
    name,
    storage = false,
    served = true,
    deprecated,
    deprecationWarning,
    properties,
    rules,
    hasStatus,
    status,
    keepsUnknown,
    column,
  } = version;
  const only = (properties: object | undefined) => (properties ? { type: "object", properties } : ANY_OBJECT);
  const openAPIV3Schema = {
    type: "object",
    properties: { spec: only(properties), ...(hasStatus && { status: only(status) }) },
    ...(keepsUnknown && { "x-kubernetes-preserve-unknown-fields": true }),
    ...(rules && { "x-kubernetes-validations": rules }),
  };
  return {
    ...{ name, served, storage, schema: { openAPIV3Schema } },
    ...(deprecated && { deprecated }),
    ...(deprecationWarning !== undefined && { deprecationWarning }),
    ...(hasStatus && { subresources: { status: {} } }),
    ...(column && { additionalPrinterColumns: [{ name: column, type: "string", jsonPath: ".metadata.name" }] }),
  };
}

function storedValue(text: string, modRevision: bigint): [string, StoredValue] {
  const { apiVersion, metadata } = JSON.parse(text) as StoredValue;
  const specText = /"spec":(.*)\}\s*$/s.exec(text)?.[1] ?? "";
  return [metadata.name, { apiVersion, metadata, text, specText, modRevision }];
}

/**
 * Waits until the definition is established, after which only its own clients write it, and spares each test two seconds: the API server
 * makes creations wait while that was less long ago (serveResource of apiextensions-apiserver/pkg/apiserver/customresource_handler.go).
 */
async function backdateEstablished(api: ApiClient, name: string): Promise<void> {
  const path = `${DEFINITIONS}/${name}`;
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  for (;;) {
    const { metadata, status } = await api.get<DefinitionJson>(path);
    const isEstablished = ({ type, status: is }: DefinitionJson["status"]["conditions"][number]) => type === "Established" && is === "True";
    if (!status.conditions?.some(isEstablished)) {
      await sleep(50, deadline);
      continue;
    }
    const lastTransitionTime = new Date(Date.now() - 60_000).toISOString().replace(/\.\d+Z$/, "Z");
    const conditions = status.conditions.map((condition) => (isEstablished(condition) ? { ...condition, lastTransitionTime } : condition));
    try {
      await api.mergePatch(`${path}/status`, { metadata: { resourceVersion: metadata.resourceVersion }, status: { conditions } });
      return;
    } catch (error) {
      // The API server has written the status in between.
      if (!(error instanceof ApiError && error.status === 409)) throw error;
    }
  }
}

async function listable(api: ApiClient, path: string): Promise<void> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  for (;;) {
    try {
      await api.list(`${path}?limit=1`);
      return;
    } catch {
      await sleep(50, deadline);
    }
  }
}

const AS_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

/**
 * Until a collection's tables have this column, or it is not served: by the same spec the API server converts and stores. The list is that
 * of an empty namespace, because what fails to be converted must not fail it, and has a limit, because others wait for a cache.
 */
async function untilAnswered(api: ApiClient, path: string, awaited: string | 404): Promise<void> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const list = `${path}?limit=1`;
  const isAnswered = () =>
    api.request<{ columnDefinitions: { name: string }[] }>("GET", list, undefined, undefined, AS_TABLE).then(
      ({ columnDefinitions }) => columnDefinitions.some(({ name }) => name === awaited),
      (error: unknown) => error instanceof ApiError && error.status === awaited,
    );
  while (!(await isAnswered())) await sleep(20, deadline);
}
