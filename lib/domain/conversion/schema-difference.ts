import { type ExactJson, exactProperty, isExactObject } from "#lib/domain/exact-json/exact-json.ts";
import { fieldPath, type PathStep } from "#lib/domain/objects/field-path.ts";

/** The fields that one version's schema allows and another's doesn't. */
export interface SchemaDifference {
  /** Paths in schema order; `*` is any key that the other schema doesn't name, at that level or deeper. */
  fields: string[];
  /** Fields beyond those listed. */
  more: number;
  /** False when the schemas are too large to compare completely. */
  complete: boolean;
}

/** Remaining node pairs to compare and fields to find, shared by related comparisons. */
export interface ComparisonBudget {
  nodes: number;
}

const MAX_FIELDS = 50;
/**
 * More than the fields of all versions that fit within etcd's limit, in both directions. Stops crafted schemas from keeping the process
 * busy: so many take a quarter of a second.
 */
export const COMPARISON_NODES = 200_000;
/** So many take milliseconds. */
const NODES_A_STEP = 4_000;
/** A node takes as long as so many characters of a key in a path that is written. */
const CHARACTERS_A_NODE = 200;
/** Deeper than any schema in use, and far from the end of the stack. */
const MAX_DEPTH = 200;

type Schema = { [key: string]: ExactJson };
/** `anything`: no schema constrains it. The empty schema allows no keys. */
type Place = Schema | "anything";

/** Linked, and written once, since doing either for each field takes the depth times the size. Null at the root. */
type Path = { outer: Path; step: PathStep; depth: number; text?: string } | null;

const NO_ROOM: Schema = {};

/** Kept in every object and embedded object, regardless of the schema. */
const META_FIELDS = ["apiVersion", "kind", "metadata"];

/** Yields where others may have a turn. */
type Steps<Result> = Generator<undefined, Result>;

interface Comparison {
  fields: string[];
  mostFields: number;
  more: number;
  complete: boolean;
  budget: ComparisonBudget;
  /** How many nodes are left in the budget when the next step begins. */
  stepEndsAt: number;
}

/**
 * The fields that an object of schema `from` may have and that the API server drops when it reads or stores the object with schema `to`
 * without conversion, told step by step, each of which takes milliseconds. Both are `openAPIV3Schema` values. With `mostFields`, fewer than
 * 50 are listed.
 * Source: apiextensions-apiserver/pkg/apiserver/schema/pruning/algorithm.go.
 */
export function* schemaDifference(
  from: ExactJson | undefined,
  to: ExactJson | undefined,
  { budget = { nodes: COMPARISON_NODES }, mostFields = MAX_FIELDS }: { budget?: ComparisonBudget; mostFields?: number } = {},
): Steps<SchemaDifference> {
  const stepEndsAt = budget.nodes - NODES_A_STEP;
  const comparison: Comparison = { fields: [], mostFields, more: 0, complete: true, budget, stepEndsAt };
  yield* compare(rootOf(from), rootOf(to), null, comparison);
  const { fields, more, complete } = comparison;
  return { fields, more, complete };
}

/** The root keeps its metadata like an embedded object. */
function rootOf(schema: ExactJson | undefined): Schema {
  return { ...schemaOf(schema), "x-kubernetes-embedded-resource": true };
}

function* compare(from: Place, to: Place, path: Path, comparison: Comparison): Steps<void> {
  comparison.budget.nodes -= 1;
  if (isStepOver(comparison)) yield;
  if (to === "anything") return;
  if (comparison.budget.nodes < 0 || (path?.depth ?? 0) > MAX_DEPTH) {
    comparison.complete = false;
    return;
  }
  if (from === "anything") yield* compareAnything(to, path, comparison);
  else yield* compareSchemas(from, to, path, comparison);
}

function* compareSchemas(from: Schema, to: Schema, path: Path, comparison: Comparison): Steps<void> {
  const named = propertiesOf(from);
  for (const [key, schema] of Object.entries(named)) {
    const there = placeOf(to, key);
    if (isStepOver(comparison)) yield;
    if (there === null) add(comparison, at(path, { key }));
    else yield* compare(schemaOf(schema), there, at(path, { key }), comparison);
  }
  if (isEmbedded(from)) {
    for (const key of META_FIELDS) if (!Object.hasOwn(named, key) && placeOf(to, key) === null) add(comparison, at(path, { key }));
  }
  yield* compareOthers(othersOf(from), to, path, named, comparison);
  const items = isList(from) ? itemsOf(from) : null;
  if (items !== null) yield* compare(items, itemsOf(to) ?? NO_ROOM, at(path, "index"), comparison);
}

/** The keys that `from` allows without naming them, which `to` may name. */
function* compareOthers(others: Place | null, to: Schema, path: Path, named: Schema, comparison: Comparison): Steps<void> {
  if (others === null) return;
  const there = othersOf(to);
  if (there === null) add(comparison, at(path, "any-key"));
  else yield* compare(others, there, at(path, "any-key"), comparison);
  // If anything may be dropped, this path covers everything deeper.
  if (there === null && others === "anything") return;
  for (const [key, schema] of Object.entries(propertiesOf(to))) {
    if (!Object.hasOwn(named, key)) yield* compare(others, schemaOf(schema), at(path, { key }), comparison);
  }
}

function* compareAnything(to: Schema, path: Path, comparison: Comparison): Steps<void> {
  const items = itemsOf(to);
  if (items !== null) yield* compare("anything", items, at(path, "index"), comparison);
  if (othersOf(to) !== null || (items === null && !isScalar(to))) yield* compareOthers("anything", to, path, {}, comparison);
}

/** What a key may hold; null when it is dropped. */
function placeOf(schema: Schema, key: string): Place | null {
  if (isEmbedded(schema) && META_FIELDS.includes(key)) return "anything";
  const own = exactProperty(propertiesOf(schema), key);
  return own === undefined ? othersOf(schema) : schemaOf(own);
}

/** What unnamed keys may hold; null when they are dropped. */
function othersOf(schema: Schema): Place | null {
  const additional = exactProperty(schema, "additionalProperties");
  if (additional !== undefined) return schemaOf(additional);
  return keepsUnknown(schema) ? "anything" : null;
}

/** What list items may hold; null when their keys are dropped. */
function itemsOf(schema: Schema): Place | null {
  const items = exactProperty(schema, "items");
  if (!keepsUnknown(schema)) return items === undefined ? null : schemaOf(items);
  // Such a list also keeps unnamed keys of its items.
  return items === undefined ? "anything" : { ...schemaOf(items), "x-kubernetes-preserve-unknown-fields": true };
}

function propertiesOf(schema: Schema): Schema {
  const properties = exactProperty(schema, "properties");
  return isExactObject(properties) ? properties : {};
}

/** `true` as a schema allows keys, but nothing inside them. */
function schemaOf(schema: ExactJson | undefined): Schema {
  return isExactObject(schema) ? schema : {};
}

function keepsUnknown(schema: Schema): boolean {
  return exactProperty(schema, "x-kubernetes-preserve-unknown-fields") === true;
}

function isEmbedded(schema: Schema): boolean {
  return exactProperty(schema, "x-kubernetes-embedded-resource") === true;
}

function isList(schema: Schema): boolean {
  return exactProperty(schema, "type") === "array" || exactProperty(schema, "items") !== undefined;
}

function isScalar(schema: Schema): boolean {
  const type = exactProperty(schema, "type");
  return exactProperty(schema, "x-kubernetes-int-or-string") === true || (type !== undefined && type !== "object" && type !== "array");
}

/** Begins the next step if so. */
function isStepOver(comparison: Comparison): boolean {
  const { budget, stepEndsAt } = comparison;
  if (budget.nodes > stepEndsAt) return false;
  comparison.stepEndsAt = budget.nodes - NODES_A_STEP;
  return true;
}

function add(comparison: Comparison, path: Path): void {
  comparison.budget.nodes -= 1;
  if (comparison.fields.length < comparison.mostFields) comparison.fields.push(written(path, comparison.budget));
  else comparison.more += 1;
}

function written(path: Path, budget: ComparisonBudget): string {
  if (path === null) return "";
  if (path.text !== undefined) return path.text;
  if (typeof path.step === "object") budget.nodes -= Math.floor(path.step.key.length / CHARACTERS_A_NODE);
  path.text = fieldPath(written(path.outer, budget), path.step);
  return path.text;
}

function at(outer: Path, step: PathStep): Path {
  return { outer, step, depth: (outer?.depth ?? 0) + 1 };
}
