import { type Crd, hasCondition } from "./crd.ts";

/** Why the API server serves no version of a definition, whatever its versions say: it is not Established; null when it is. */
export function unservedBecause(crd: Pick<Crd, "conditions">): "names not accepted" | "not established" | null {
  if (hasCondition(crd, "Established")) return null;
  const isRefused = crd.conditions.some(({ type, status }) => type === "NamesAccepted" && status === "False");
  return isRefused ? "names not accepted" : "not established";
}
