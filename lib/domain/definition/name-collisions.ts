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

/**
 * The requested names that another definition in the group already holds. Plural, singular, and short names share one namespace, kind and
 * list kind another. The API server's condition names only the last collision.
 * Source: apiextensions-apiserver/pkg/controller/status/naming_controller.go, calculateNamesAndConditions.
 */
export function nameCollisions(crd: Crd, others: readonly Crd[]): NameCollision[] {
  const { acceptedNames } = crd;
  if (!acceptedNames) return [];
  const rivals = [...others.filter(({ group, name }) => group === crd.group && name !== crd.name), crd];
  return nameRoles.flatMap((role) => {
    const missing = namesIn(askedNames(crd), role).filter((name) => !namesIn(acceptedNames, role).includes(name));
    return missing.flatMap((name) => {
      const heldBy = holderOf(name, role, rivals);
      return heldBy ? [{ role, name, heldBy }] : [];
    });
  });
}

function holderOf(name: string, role: NameRole, rivals: readonly Crd[]): NameCollision["heldBy"] | null {
  for (const rival of rivals) {
    const held = rival.acceptedNames ?? askedNames(rival);
    const as = rolesBeside(role).find((other) => namesIn(held, other).includes(name));
    if (as) return { crd: rival.name, role: as };
  }
  return null;
}

function askedNames({ plural, kind, names }: Pick<Crd, "plural" | "kind" | "names">): AcceptedNames {
  return { plural, kind, singular: names.singular, listKind: names.listKind, shortNames: names.shortNames };
}

function namesIn(names: AcceptedNames, role: NameRole): string[] {
  return role === "shortNames" ? names.shortNames : [names[role]].filter(Boolean);
}

function rolesBeside(role: NameRole): NameRole[] {
  return role === "kind" || role === "listKind" ? ["kind", "listKind"] : ["plural", "singular", "shortNames"];
}
