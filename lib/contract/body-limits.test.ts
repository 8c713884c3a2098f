import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { ZodType, z } from "zod";
import { restoreSchema } from "./definition/crd.ts";
import { versionChangeSchema } from "./definition/version-change.ts";
import { cleanManagedFieldsSchema } from "./objects/managed-fields.ts";

/** The schemas of all bodies that a route reads. */
function bodySchemas(): { name: string; file: string }[] {
  const found = globSync("app/**/route.ts").flatMap((route) => {
    const text = readFileSync(route, "utf8");
    return [...text.matchAll(/readBody\(\w+, (?<name>\w+)\)/g)].map(({ groups: { name = "" } = {} }) => {
      const file = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from "#(?<file>[^"]+)"`).exec(text)?.groups?.file;
      return [name, file ?? expect.fail(`${route} doesn't import ${name} from the contract`)] as const;
    });
  });
  return [...new Map(found)].map(([name, file]) => ({ name, file }));
}

async function jsonSchemaOf({ name, file }: { name: string; file: string }): Promise<unknown> {
  const exported: Record<string, unknown> = await import(pathToFileURL(resolve(file)).href);
  const schema = exported[name];
  return schema instanceof ZodType ? z.toJSONSchema(schema, { io: "input" }) : expect.fail(`${file} has no schema ${name}`);
}

/** The texts and lists of a JSON schema that may be of any length, as paths. */
function unlimited(schema: unknown, path = "body"): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { type, maxLength, maxItems, enum: values, const: value }: Record<string, unknown> = { ...schema };
  const isAnyText = type === "string" && maxLength === undefined && values === undefined && value === undefined;
  const isAnyList = type === "array" && maxItems === undefined;
  const inner = Object.entries(schema).flatMap(([key, one]) => unlimited(one, `${path}.${key}`));
  return isAnyText || isAnyList ? [path, ...inner] : inner;
}

test.each(bodySchemas())("each text and each list of a body has a limit: $name", async (body) => {
  expect(unlimited(await jsonSchemaOf(body))).toEqual([]);
});

test("all bodies are looked at", () => {
  expect(bodySchemas().length).toBeGreaterThan(12);
  expect(unlimited(z.toJSONSchema(z.object({ names: z.array(z.string()) })))).toEqual([
    "body.properties.names",
    "body.properties.names.items",
  ]);
});

const names = (count: number) => Array.from({ length: count }, (_, index) => `v${index + 1}`);

describe.each([
  { what: "versions to clean", schema: cleanManagedFieldsSchema, most: 50 },
  { what: "versions to put back", schema: restoreSchema, most: 500 },
])("$what", ({ schema, most }) => {
  const read = (versions: string[]) => schema.safeParse({ versions }).data?.versions;

  test("count once each, in the order they came", () => {
    expect(read(["v2", "v1", "v2", "v1"])).toEqual(["v2", "v1"]);
  });

  test(`are ${most} at most, and one at least`, () => {
    expect(read(names(most))).toEqual(names(most));
    expect(read(names(most + 1))).toBeUndefined();
    expect(read([])).toBeUndefined();
  });

  test("are no longer than a version's name can be", () => {
    expect(read(["v".repeat(63)])).toHaveLength(1);
    expect(read(["v".repeat(64)])).toBeUndefined();
  });
});

test("as many losses can be accepted as a check lists, of the longest paths", () => {
  const acceptLosses = Array.from({ length: 500 }, () => `${"p".repeat(300)}…`);
  expect(versionChangeSchema.parse({ acceptLosses })).toEqual({ acceptLosses });
});
