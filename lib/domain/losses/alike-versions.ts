import type { CrdVersion } from "#lib/domain/definition/crd.ts";
import { type ExactJson, exactText } from "#lib/domain/exact-json/exact-json.ts";

/** Versions whose schemas are equal: what is told of a field is the same for all of them. */
export interface AlikeVersions {
  schema: ExactJson;
  /** The name of the first of them. */
  first: string;
  isServed: boolean;
  /** The storage version's name, if it is one of them. */
  storage: string | null;
}

/** All versions of a definition by what is alike. */
export interface SortedVersions {
  alike: readonly AlikeVersions[];
  /** By name; null for a version whose schema isn't known. */
  of: ReadonlyMap<string, AlikeVersions | null>;
  /** Whether each served version's schema is known. */
  areServedKnown: boolean;
}

type SchemaOf = (version: string) => ExactJson | undefined;

/** All objects of a definition share them. */
const known = new WeakMap<SchemaOf, { versions: readonly CrdVersion[]; sorted: SortedVersions }>();

/** The versions by what is alike, in their order; found once for a definition. */
export function alikeVersions(versions: readonly CrdVersion[], schemaOf: SchemaOf): SortedVersions {
  const before = known.get(schemaOf);
  if (before?.versions === versions) return before.sorted;
  const sorted = sort(versions, schemaOf);
  known.set(schemaOf, { versions, sorted });
  return sorted;
}

function sort(versions: readonly CrdVersion[], schemaOf: SchemaOf): SortedVersions {
  const byText = new Map<string, AlikeVersions>();
  const of = new Map<string, AlikeVersions | null>();
  let areServedKnown = true;
  for (const { name, served, storage } of versions) {
    const schema = schemaOf(name);
    if (schema === undefined) {
      of.set(name, null);
      areServedKnown &&= !served;
      continue;
    }
    const text = exactText(schema);
    const alike = byText.get(text) ?? { schema, first: name, isServed: false, storage: null };
    alike.isServed ||= served;
    if (storage) alike.storage = name;
    byText.set(text, alike);
    of.set(name, alike);
  }
  return { alike: [...byText.values()], of, areServedKnown };
}
