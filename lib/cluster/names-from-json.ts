import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { AcceptedNames, Crd } from "#lib/domain/crd.ts";

const name = z.string().catch("");
const names = z.array(z.string()).catch([]);

export const noNames = { plural: "", singular: "", kind: "", listKind: "", shortNames: [], categories: [] };

/** Names as spec.names and status.acceptedNames hold them; what is missing is empty. */
export const namesSchema = z
  .object({ plural: name, singular: name, kind: name, listKind: name, shortNames: names, categories: names })
  .catch(noNames);
type NamesJson = z.infer<typeof namesSchema>;

/** The names that a definition asks for, and those that it got where they are others. */
export function namesFromJson(asked: NamesJson, accepted: NamesJson): Pick<Crd, "kind" | "plural" | "names" | "acceptedNames"> {
  const { kind, plural, ...rest } = asked;
  const isAccepted = isDeepStrictEqual(thoseThatCollide(asked), thoseThatCollide(accepted));
  return { kind, plural, names: rest, acceptedNames: isAccepted ? null : thoseThatCollide(accepted) };
}

function thoseThatCollide({ plural, singular, kind, listKind, shortNames }: NamesJson): AcceptedNames {
  return { plural, singular, kind, listKind, shortNames };
}
