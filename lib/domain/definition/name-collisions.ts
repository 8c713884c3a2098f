import type { AcceptedNames, Crd } from "./crd.ts";

export const nameRoles = ["plural", "singular", "shortNames", "kind", "listKind"] as const;
/** The role of a name in a definition. */
export type NameRole = (typeof nameRoles)[number];

/** A name that a definition requests but doesn't get. */
export interface NameCollision {
  role: NameRole;
  name: string;
  /** The holder and the name's role there; may be the definition itself in another role. */
  heldBy: { crd: string; role: NameRole };
}

/** No real definition requests as many names, but anyone who may create one could. */
const MOST_COLLISIONS = 100;

/**
 * The requested names that another definition in the group already holds, at most 100. Plural, singular, and short names share one
 * namespace, kind and list kind another. The API server's condition names only the last collision.
 * Source: apiextensions-apiserver/pkg/controller/status/naming_controller.go, calculateNamesAndConditions.
 */
export function nameCollisions(crd: Crd, others: readonly Crd[]): NameCollision[] {
  const { acceptedNames } = crd;
  if (!acceptedNames) return [];
  const missing = nameRoles.flatMap((role) => {
    const accepted = new Set(namesIn(acceptedNames, role));
    return namesIn(askedNames(crd), role).flatMap((name) => (accepted.has(name) ? [] : [{ role, name }]));
  });
  if (missing.length === 0) return [];
  const holders = heldNames([...others.filter(({ group, name }) => group === crd.group && name !== crd.name), crd]);
  const collisions = missing.flatMap(({ role, name }) => {
    const heldBy = holders[namespaceOf(role)].get(name);
    return heldBy ? [{ role, name, heldBy }] : [];
  });
  return collisions.slice(0, MOST_COLLISIONS);
}

type Namespace = "resources" | "kinds";
type Holders = Record<Namespace, Map<string, NameCollision["heldBy"]>>;

/** Who holds each name: the first of them. */
function heldNames(rivals: readonly Crd[]): Holders {
  const holders: Holders = { resources: new Map(), kinds: new Map() };
  for (const rival of rivals) {
    const held = rival.acceptedNames ?? askedNames(rival);
    for (const role of nameRoles) {
      const known = holders[namespaceOf(role)];
      for (const name of namesIn(held, role)) if (!known.has(name)) known.set(name, { crd: rival.name, role });
    }
  }
  return holders;
}

function namespaceOf(role: NameRole): Namespace {
  return role === "kind" || role === "listKind" ? "kinds" : "resources";
}

function askedNames({ plural, kind, names }: Pick<Crd, "plural" | "kind" | "names">): AcceptedNames {
  return { plural, kind, singular: names.singular, listKind: names.listKind, shortNames: names.shortNames };
}

function namesIn(names: AcceptedNames, role: NameRole): string[] {
  return role === "shortNames" ? names.shortNames : [names[role]].filter(Boolean);
}
