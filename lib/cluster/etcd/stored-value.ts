/** How an object is stored, as far as its value in etcd tells. */
export type StoredValue = { kind: "version"; version: string } | { kind: "encrypted" } | { kind: "unreadable" };

/** Before every value that the API server encrypted. Source: apiserver/pkg/server/options/encryptionconfig. */
const ENCRYPTED = Buffer.from("k8s:enc:");

/** The version of a group in which a custom resource is stored: JSON text whose apiVersion names it. */
export function readStoredValue(value: Buffer, group: string): StoredValue {
  if (value.subarray(0, ENCRYPTED.length).equals(ENCRYPTED)) return { kind: "encrypted" };
  const apiVersion = field(parseJson(value), "apiVersion");
  const [storedGroup, version, ...more] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  if (storedGroup !== group || !version || more.length > 0) return { kind: "unreadable" };
  return { kind: "version", version };
}

/** The uid of an object that is stored as JSON; null for anything else. */
export function readStoredUid(value: Buffer): string | null {
  const uid = field(field(parseJson(value), "metadata"), "uid");
  return typeof uid === "string" ? uid : null;
}

// CBOR (d9 d9 f7 …) and protobuf ("k8s\0" …) are no JSON either.
function parseJson(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString("utf8"));
  } catch {
    return null;
  }
}

function field(json: unknown, name: string): unknown {
  return typeof json === "object" && json !== null ? Object.entries(json).find(([key]) => key === name)?.[1] : undefined;
}
