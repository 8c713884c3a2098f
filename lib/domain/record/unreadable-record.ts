import type { Crd } from "#lib/domain/definition/crd.ts";

/**
 * Refuses what the record of a definition would have to allow while it can't be read, and says what to do; null when it can. It may hold
 * a doubt, or a run at work.
 */
export function unreadableRecord({ name, record }: Pick<Crd, "name" | "record">): { message: string; nextStep: string } | null {
  if (record !== "unreadable") return null;
  return {
    message: "This crdshift can't read the annotation crdshift.dev/rewrite; a newer crdshift may be using it.",
    nextStep:
      "Use that crdshift. If there is none, remove the annotation, then rewrite with every object verified: " +
      `kubectl annotate customresourcedefinition ${name} crdshift.dev/rewrite-`,
  };
}
