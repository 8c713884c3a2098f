import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { refuse } from "./refuse.ts";

/** Throws AppError precondition_failed if the definition's generation is not the expected one. */
export function refuseOtherGeneration(crd: Crd, expected: number | undefined): void {
  if (expected === undefined || expected === crd.generation) return;
  const flags = crd.versions.map(({ name, served, storage, deprecated }) =>
    [name, served ? "served" : "not served", storage && "storage", deprecated && "deprecated"].filter(Boolean).join(" "),
  );
  throw refuse({
    message: `The spec has changed since you looked at it: its generation is ${crd.generation}, not ${expected}. Its versions are now: ${flags.join(", ")}.`,
    nextStep: "Review the current spec, then decide.",
  });
}

/** Throws AppError not_found unless the version is in spec.versions. */
export function refuseUnknownVersion({ name, versions }: Pick<Crd, "name" | "versions">, version: string): void {
  if (versions.some((one) => one.name === version)) return;
  throw new AppError("not_found", `${name} has no version ${version}.`, { nextStep: "Look at its versions on the definition's page." });
}
