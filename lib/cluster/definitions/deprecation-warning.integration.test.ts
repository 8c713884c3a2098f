import { request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { deprecationWarning } from "#lib/domain/definition/crd.ts";
import { createDefinition, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";
import { readCrd } from "./crds.ts";

const { cluster, api } = openWorkerCluster();
chooseKubeconfig(cluster.kubeconfig);
const connection = await connect(cluster.context);

const soon = () => AbortSignal.timeout(30_000);
const deprecated = (name: string, changes: Partial<SampleVersion> = {}): SampleVersion => ({ name, deprecated: true, ...changes });

async function define(versions: SampleVersion[]): Promise<SampleDefinition> {
  const definition = await createDefinition(api, versions);
  onTestFinished(() => definition.remove());
  return definition;
}

/** With the version that the text names, where it names one. */
const combinations: { when: string; versions: SampleVersion[]; named: Record<string, string> }[] = [
  {
    when: "newer ones are served, some only deprecated or not at all; of the newest only older ones are left",
    versions: [
      ...["v1alpha1", "v1beta1", "v10beta3", "v11alpha2", "foo1", "v4"].map((name) => deprecated(name)),
      { name: "v1" },
      { name: "v2", storage: true },
      { name: "v2alpha1" },
      { name: "v3", served: false },
    ],
    named: { v1alpha1: "v2", v1beta1: "v2", v10beta3: "v2", v11alpha2: "v2", foo1: "v2" },
  },
  {
    when: "the only newer one that is neither deprecated nor unserved is a beta",
    versions: [
      deprecated("v1alpha1"),
      deprecated("v1beta1"),
      deprecated("v1", { storage: true }),
      { name: "v2", served: false },
      { name: "v2beta1" },
      { name: "v11alpha2" },
    ],
    named: { v1alpha1: "v2beta1", v1beta1: "v2beta1" },
  },
  {
    when: "names don't parse: they come in alphabetical order, the ones that overflow among them",
    versions: [
      deprecated("foo1", { storage: true }),
      { name: "foo10" },
      deprecated("foo2"),
      deprecated("v1beta"),
      deprecated("v9223372036854775808"),
    ],
    named: { foo2: "foo10", v1beta: "foo10", v9223372036854775808: "foo10" },
  },
  { when: "it is the only version", versions: [deprecated("v1", { storage: true })], named: {} },
  { when: "every version is deprecated", versions: [deprecated("v1"), deprecated("v2", { storage: true })], named: {} },
];

test("the default text is what the API server sends, whatever other versions there are", async () => {
  const check = async ({ when, versions, named }: (typeof combinations)[number]) => {
    const definition = await define(versions);
    const text = (name: string) => {
      const use = named[name] ? `; use ${definition.group}/${named[name]} Widget` : "";
      return `${definition.group}/${name} Widget is deprecated${use}`;
    };
    const served = versions.filter((version) => version.served !== false);
    const expected = Object.fromEntries(served.map(({ name, deprecated: isDeprecated }) => [name, isDeprecated ? text(name) : null]));
    expect(await warningsOf(definition), when).toEqual({ sent: expected, shown: expected });
  };
  await Promise.all(combinations.map(check));
});

test("a text of one's own is sent and shown as it is, whatever is in it and beside it", async () => {
  const texts = {
    v1alpha1: "use v1: see https://example.com/migrate?from=v1alpha1&to=v1",
    v1alpha2: String.raw`it's "old" \ gone, 299 - "not a second one"`,
    v1alpha3: "geht 2027 weg – 迁移到 v1 🚲 انتقل إلى v1",
    v1alpha4: "w".repeat(256),
    v1alpha5: "é".repeat(128),
    v1beta1: " between spaces ",
    v2: "go back to v1",
  };
  const versions = Object.entries(texts).map(([name, deprecationWarning]) => deprecated(name, { deprecationWarning }));
  const definition = await define([{ name: "v1", storage: true }, ...versions]);
  const expected = { v1: null, ...texts };
  expect(await warningsOf(definition)).toEqual({ sent: expected, shown: expected });
});

test("a text that could not be shown as it is sent is refused by the API server", async () => {
  const definition = await define([{ name: "v1", storage: true }, deprecated("v1beta1")]);
  const refused: [text: string, reason: RegExp][] = [
    ["", /must not be an empty string/],
    ["w".repeat(257), /must be <= 256 characters/],
    // It counts bytes.
    ["é".repeat(129), /must be <= 256 characters/],
    ["two\nlines", /must only contain printable UTF-8 characters/],
    ["\u202eturned", /must only contain printable UTF-8 characters/],
    ["no\u00a0break", /must only contain printable UTF-8 characters/],
  ];
  for (const [deprecationWarning, reason] of refused) {
    const versions = [{ name: "v1", storage: true }, deprecated("v1beta1", { deprecationWarning })];
    await expect(definition.setVersions(versions), JSON.stringify(deprecationWarning)).rejects.toThrow(reason);
  }
  const notDeprecated = [
    { name: "v1", storage: true },
    { name: "v1beta1", deprecationWarning: "old" },
  ];
  await expect(definition.setVersions(notDeprecated)).rejects.toThrow(/can only be set for deprecated versions/);
});

/** By served version: what a list and a GET are answered with, which must agree, and what crdshift shows. */
async function warningsOf(definition: SampleDefinition) {
  const { crd } = await readCrd(connection, definition.name, soon());
  const sent: Record<string, string | null> = {};
  const shown: Record<string, string | null> = {};
  for (const version of crd.versions.filter(({ served }) => served)) {
    const paths = [`${definition.path(version.name)}?limit=1`, definition.path(version.name, { name: "absent" })];
    const [ofList = null, ofGet] = await Promise.all(paths.map(warningText));
    expect(ofGet, version.name).toBe(ofList);
    sent[version.name] = ofList;
    shown[version.name] = deprecationWarning(crd, version);
  }
  return { sent, shown };
}

/** The text of the one Warning header (RFC 7234, section 5.5) of the answer; null without one. */
async function warningText(path: string): Promise<string | null> {
  const { headers, body } = await request(`${connection.server}${path}`, {
    dispatcher: connection.dispatcher,
    headers: await connection.authHeaders(),
    signal: soon(),
  });
  await body.dump();
  if (headers.warning === undefined) return null;
  // undici makes a character of each byte.
  const header = Buffer.from(String(headers.warning), "latin1").toString("utf8");
  const quoted = /^299 - "((?:[^"\\]|\\.)*)"$/u.exec(header)?.[1];
  if (quoted === undefined) throw new Error(`Not one Warning header as the API server writes them: ${header}`);
  return quoted.replaceAll(/\\(.)/gu, "$1");
}
