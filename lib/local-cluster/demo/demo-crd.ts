/** https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules */
interface CelRule {
  rule: string;
  message: string;
}

export interface JsonSchema {
  type: "string" | "integer" | "boolean" | "array" | "object";
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  pattern?: string;
  default?: string | number | boolean;
  "x-kubernetes-validations"?: CelRule[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
}

export const string: JsonSchema = { type: "string" };
export const boolean: JsonSchema = { type: "boolean" };
export const integer: JsonSchema = { type: "integer" };
export const strings: JsonSchema = { type: "array", items: string };

export function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}

export function oneOf(...values: string[]): JsonSchema {
  return { type: "string", enum: values };
}

/** A CRD of the demo and its objects, as data; demoCrdManifest makes the API object of it. */
export interface DemoCrd {
  group: string;
  kind: string;
  plural: string;
  shortNames?: string[];
  categories?: string[];
  scope: "Namespaced" | "Cluster";
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  versions: DemoVersion[];
  /** The version that was the storage version when the objects were created, if that has changed since. */
  createdAs?: string;
  objects: DemoObject[];
  /** Who wrote the objects, as managedFields tells. */
  fieldManager?: string;
  /** Who converts the objects; without it the strategy is None. create-demo-content.ts makes spec.conversion of it. */
  conversion?: DemoConversion;
}
/**
 * conversion-webhook.ts, or a service that doesn't exist. Of a `rotating` CA bundle one certificate expires within weeks, of an
 * `expiring` one all do, and none is the webhook's: that is for one which is never asked.
 */
type DemoConversion =
  | { by: "demo-webhook"; ca?: "rotating" | "expiring" }
  | { by: "absent-service"; service: { namespace: string; name: string; path: string } };
interface DemoVersion {
  name: string;
  served?: false;
  storage?: true;
  deprecated?: true;
  deprecationWarning?: string;
  spec: Record<string, JsonSchema>;
  /** Fields of status; given, the version has a status subresource. */
  status?: Record<string, JsonSchema>;
  /**
   * With it, the version has a scale subresource.
   * Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#scale-subresource
   */
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  /** Validation rules on the whole object. */
  rules?: CelRule[];
  /** Names of spec fields that `kubectl get` shows. */
  columns?: string[];
}
export interface DemoObject {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  finalizers?: string[];
  spec: object;
}
export type Conversion = { strategy: "None" } | { strategy: "Webhook"; webhook: object };

/** `<plural>.<group>` */
export function crdName(crd: DemoCrd): string {
  return `${crd.plural}.${crd.group}`;
}

/** The CustomResourceDefinition, with `storage` as its storage version. */
export function demoCrdManifest(crd: DemoCrd, storage: string, conversion: Conversion = { strategy: "None" }) {
  const { group, kind, plural, shortNames, categories, scope } = crd;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: crdName(crd), labels: crd.labels, annotations: crd.annotations },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), shortNames, categories },
      conversion,
      versions: crd.versions.map((version) => versionManifest(version, storage)),
    },
  };
}

function versionManifest(version: DemoVersion, storage: string) {
  const { name, served = true, deprecated, deprecationWarning, spec, status, scale, rules, columns = [] } = version;
  const properties = { spec: object(spec), ...(status && { status: object(status) }) };
  return {
    name,
    served,
    storage: name === storage,
    deprecated,
    deprecationWarning,
    schema: { openAPIV3Schema: { type: "object", properties, "x-kubernetes-validations": rules } },
    subresources: (status || scale) && { ...(status && { status: {} }), ...(scale && { scale }) },
    additionalPrinterColumns: [
      ...columns.map((field) => ({ name: field, type: spec[field]?.type ?? "string", jsonPath: `.spec.${field}` })),
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
  };
}

/** The namespaces of the demo: one a team. */
export const namespaces = ["team-payments", "team-search", "team-data"] as const;

/** `count` objects `<prefix>-0001` …, spread over the namespaces. */
export function namespacedObjects(count: number, prefix: string, spec: (index: number) => object): DemoObject[] {
  return clusterObjects(count, prefix, spec).map((object, index) => ({ ...object, namespace: pick(namespaces, index) }));
}

/** `count` objects `<prefix>-0001` … without a namespace. */
export function clusterObjects(count: number, prefix: string, spec: (index: number) => object): DemoObject[] {
  const digits = String(count).length;
  return Array.from({ length: count }, (_, index) => ({
    name: `${prefix}-${String(index + 1).padStart(digits, "0")}`,
    spec: spec(index),
  }));
}

/** The values in turn. */
export function pick<T>(values: readonly [T, ...T[]], index: number): T {
  return values[index % values.length] ?? values[0];
}
