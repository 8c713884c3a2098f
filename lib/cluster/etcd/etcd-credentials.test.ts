import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { generate } from "selfsigned";
import { expect, onTestFinished, test } from "vitest";
import { readEnv } from "#lib/settings/env.ts";
import { readEtcdCredentials } from "./etcd-credentials.ts";

async function filesOf(contents: Record<string, string>): Promise<Record<string, string>> {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-pem-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const files = Object.entries(contents).map(async ([name, text]) => {
    const file = path.join(directory, name);
    await writeFile(file, text);
    return [`CRDSHIFT_ETCD_${name}`, file] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

const read = (variables: Record<string, string>) =>
  readEtcdCredentials(readEnv({ CRDSHIFT_ETCD_ENDPOINTS: "https://10.0.0.1:2379", ...variables }));

test("gives the content of the files, and nothing where none is named", async () => {
  const { cert, private: key } = await generate([{ name: "commonName", value: "etcd" }]);
  expect(read(await filesOf({ CACERT: cert, CERT: cert, KEY: key }))).toEqual({ ca: cert, cert, key });
  expect(readEtcdCredentials(readEnv({}))).toEqual({});
});

test("refuses a file that can't be read, with its name and what to do", () => {
  expect(() => read({ CRDSHIFT_ETCD_CACERT: "/nowhere/ca.pem" })).toThrow(
    expect.objectContaining({
      code: "invalid_input",
      message: "CRDSHIFT_ETCD_CACERT: the file /nowhere/ca.pem can't be read.",
      nextStep: expect.stringContaining("Set CRDSHIFT_ETCD_CACERT to a PEM file"),
    }),
  );
});

test("refuses what is no certificate, and a key that is another certificate's", async () => {
  const [one, other] = [await generate([{ name: "commonName", value: "a" }]), await generate([{ name: "commonName", value: "b" }])];
  const refused = expect.objectContaining({
    code: "invalid_input",
    clusterMessage: expect.any(String),
    nextStep: expect.stringContaining("PEM"),
  });
  const [mismatched, garbage] = [await filesOf({ CERT: one.cert, KEY: other.private }), await filesOf({ CACERT: "no certificate" })];
  expect(() => read(mismatched)).toThrow(refused);
  expect(() => read(garbage)).toThrow(refused);
});
