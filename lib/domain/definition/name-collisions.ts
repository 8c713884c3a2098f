import type { AcceptedNames, Crd } from "./crd.ts";

export const nameRoles = ["plural", "singular", "shortNames", "kind", "listKind"] as const;
/** What a name of a definition is. */
export type NameRole = (typeof nameRoles)[number];

/** A name that a definition asks for and does not get. */
export interface NameCollision {
  role: NameRole;
  name: string;
  /** Who has it, and as what; it may be the definition itself in another role. */
  heldBy: { crd: string; role: NameRole };
}

/**
 * The names that a definition asks for while they are accepted for another one of its group. Plural, singular and short names must
 * differ from each other, kind and list kind likewise. The API server's condition tells the last of them only.
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
