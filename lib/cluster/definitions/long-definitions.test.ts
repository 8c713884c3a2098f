import { expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { watchCrds } from "#lib/cluster/fleet/watch-crds.ts";
import { answerTogether } from "#lib/cluster/testing/answer-together.ts";
import { connectionTo } from "#lib/cluster/testing/connection-to.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { readCrd, readExactCrd } from "./crds.ts";
import { readVersionYaml } from "./versions/version-yaml.ts";

const soon = () => AbortSignal.timeout(60_000);

/** 1.4 MB, of which a schema's example is nearly all: about as large as an API server takes it. */
const example = Array.from({ length: 440_000 }, () => ({}));
const definition = JSON.stringify({
  metadata: { name: "things.example.com", uid: "u", resourceVersion: "2" },
  spec: {
    ...{ group: "example.com", scope: "Namespaced", names: { plural: "things", kind: "Thing" } },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", example } } }],
  },
  status: { storedVersions: ["v1"] },
});

async function firstChange(connection: Connection) {
  const changes = watchCrds(connection, { resourceVersion: "1", signal: soon(), onOpen() {} });
  for await (const change of changes) return change;
  return null;
}

// Each was parsed when it arrived (crds.ts), sixteen in one turn.
test("sixteen people who read such a definition exactly hold nobody up", async () => {
  const connection = await connectionTo(
    "long",
    answerTogether(16, (response) => response.end(definition)),
  );
  const read = () => readExactCrd(connection, "things.example.com", soon());
  const { longest, result } = await whileWatched(() => Promise.all(Array.from({ length: 16 }, read)));
  expect(result.map(({ crd }) => crd.name)).toEqual(Array(16).fill("things.example.com"));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// It became text before it was found to be too much for YAML (version-yaml.ts).
test("its version as YAML is refused in little time", async () => {
  const connection = await connectionTo("long-yaml", (_, response) => response.end(definition));
  const refused = { code: "invalid_input", message: expect.stringContaining("more than 100,000 lines and items") };
  const { longest } = await whileWatched(() =>
    expect(readVersionYaml(connection, "things.example.com", "v1", soon())).rejects.toMatchObject(refused),
  );
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Each was parsed when it arrived (watch-crds.ts): a change of such a definition was one turn for all who watch.
test("a change of it that ten watches tell at once holds nobody up", async () => {
  const event = `${JSON.stringify({ type: "MODIFIED" }).slice(0, -1)},"object":${definition}}\n`;
  const connection = await connectionTo(
    "long-watch",
    answerTogether(10, (response) => response.end(event)),
  );
  const { longest, result } = await whileWatched(() => Promise.all(Array.from({ length: 10 }, () => firstChange(connection))));
  expect(result.map((change) => change?.type)).toEqual(Array(10).fill("upserted"));
  expect(longest).toBeLessThan(LONGEST_TURN);
});

/** Says for each definition that is read from JSON whether that begins in the turn in which it was parsed. */
function readInTurnOfParsing(): boolean[] {
  const reads: boolean[] = [];
  const { parse } = JSON;
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    const value = parse(text, reviver);
    if (text.length < definition.length) return value;
    let isSameTurn = true;
    setImmediate(() => {
      isSameTurn = false;
    });
    const parsed = value.object ?? value;
    const { spec } = parsed;
    const get = () => {
      reads.push(isSameTurn);
      return spec;
    };
    Object.defineProperty(parsed, "spec", { get });
    return value;
  });
  onTestFinished(() => spy.mockRestore());
  return reads;
}

// Parsing a megabyte of annotations, and then reading them, was one turn of 200 ms.
test("it is parsed in one turn and read in another", async () => {
  const reads = readInTurnOfParsing();
  const changed = definition.replace('"u"', '"turns"');
  const connection = await connectionTo("long-turns", ({ url }, response) => {
    response.end(url?.includes("watch") ? `{"type":"MODIFIED","object":${changed}}\n` : definition);
  });
  await readCrd(connection, "things.example.com", soon());
  await readExactCrd(connection, "things.example.com", soon());
  for await (const change of watchCrds(connection, { resourceVersion: "1", signal: soon(), onOpen() {} })) {
    expect(change.type).toBe("upserted");
  }
  expect(reads).toEqual([false, false, false]);
});

// Each parsed it anew: with a hundred who watch, for seconds.
test("a change of it that ten watches tell is parsed once", async () => {
  const parse = vi.spyOn(JSON, "parse");
  onTestFinished(() => parse.mockRestore());
  const event = `{"type":"MODIFIED","object":${definition.replace('"u"', '"once"')}}`;
  const connection = await connectionTo(
    "long-once",
    answerTogether(10, (response) => response.end(`${event}\n`)),
  );
  const changes = await Promise.all(Array.from({ length: 10 }, () => firstChange(connection)));
  expect(changes.map((change) => change?.type)).toEqual(Array(10).fill("upserted"));
  expect(parse.mock.calls.filter(([text]) => text === event)).toHaveLength(1);
});

test("one that is nested deeper than any real one is refused with a next step", async () => {
  const deep = `${"[".repeat(1_001)}${"]".repeat(1_001)}`;
  const connection = await connectionTo("deep", (_, response) => response.end(definition.replace(JSON.stringify(example), deep)));
  await expect(readExactCrd(connection, "things.example.com", soon())).rejects.toMatchObject({
    code: "too_large",
    message: "things.example.com is nested deeper than 1,000 levels, so crdshift can't read it.",
    nextStep: "Nest its schemas less deeply and apply the definition, then retry.",
  });
});
