import fc from "fast-check";
import { expect, test } from "vitest";
import { etcdPages, readStoredUid, readStoredValue, smallerLimit } from "./count-in-etcd.ts";

const text = (value: string) => Buffer.from(value);

test.each<[string, Buffer, object]>([
  ["JSON as the API server writes it", text('{"apiVersion":"example.com/v1","kind":"Widget"}\n'), { kind: "version", version: "v1" }],
  [
    "a field before apiVersion",
    text('{"above":{"apiVersion":"example.com/v2"},"apiVersion":"example.com/v1"}'),
    { kind: "version", version: "v1" },
  ],
  ["an encrypted value", text('k8s:enc:aescbc:v1:key1:{"apiVersion":"example.com/v1"}'), { kind: "encrypted" }],
  ["CBOR", Buffer.from("d9d9f7a16a61706956657273696f6e", "hex"), { kind: "unreadable" }],
  ["protobuf", text("k8s\0\n\x0f"), { kind: "unreadable" }],
  ["JSON that was cut off", text('{"apiVersion":"example.com/v1","kind":"Wid'), { kind: "unreadable" }],
  ["another group", text('{"apiVersion":"example.org/v1"}'), { kind: "unreadable" }],
  ["a group without a version", text('{"apiVersion":"example.com/"}'), { kind: "unreadable" }],
  ["an apiVersion of three parts", text('{"apiVersion":"example.com/v1/x"}'), { kind: "unreadable" }],
  ["no apiVersion", text("{}"), { kind: "unreadable" }],
  ["no object", text('"example.com/v1"'), { kind: "unreadable" }],
  ["nothing", text(""), { kind: "unreadable" }],
])("the version of %s", (_, value, expected) => {
  expect(readStoredValue(value, "example.com")).toEqual(expected);
});

test("the uid of a stored object is that of its metadata, and null where there is none", () => {
  expect(readStoredUid(text('{"uid":"other","metadata":{"uid":"a-b"}}'))).toBe("a-b");
  expect([readStoredUid(text("k8s:enc:")), readStoredUid(text('{"metadata":{}}')), readStoredUid(text("null"))]).toEqual([
    null,
    null,
    null,
  ]);
});

test("a smaller limit is smaller until it is 1", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), (limit) => {
      expect(smallerLimit(limit)).toBeGreaterThanOrEqual(1);
      expect(smallerLimit(limit)).toBeLessThan(Math.max(limit, 2));
    }),
  );
});

test("a single value that is too long is an error, and isn't asked for without end", async () => {
  const asked: [limit: number, maxBytes: number][] = [];
  const client = {
    range: async ({ limit, maxBytes }: { limit: number; maxBytes: number }) => {
      asked.push([limit, maxBytes]);
      return { kind: "too-large" } as const;
    },
    close: async () => {},
  };
  await expect(Array.fromAsync(etcdPages(client, "/registry/example.com/widgets/", AbortSignal.timeout(5_000)))).rejects.toMatchObject({
    code: "cluster_rejected",
    nextStep: expect.stringContaining("CRDSHIFT_ETCD_ENDPOINTS"),
  });
  const MIB = 1024 * 1024;
  expect(asked).toEqual([
    [4, 16 * MIB],
    [1, 64 * MIB],
  ]);
});
