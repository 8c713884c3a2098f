import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/crd.ts";

/** Throws AppError not_found unless the version is in spec.versions. */
export function refuseUnknownVersion({ name, versions }: Pick<Crd, "name" | "versions">, version: string): void {
  if (versions.some((one) => one.name === version)) return;
  throw new AppError("not_found", `${name} has no version ${version}.`, { nextStep: "Look at its versions on the definition's page." });
}
