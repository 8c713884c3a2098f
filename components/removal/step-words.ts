import { nameVersions } from "#components/crd/name-versions.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { RemovalStep } from "#lib/contract/removal.ts";
import type { RemovalStepName } from "#lib/domain/removal.ts";

/** What a step achieves. */
export function stepTitle(step: RemovalStepName, version: string, isServed: boolean): string {
  switch (step) {
    case "clients":
      return isServed ? "Clients are warned" : "No client can use it";
    case "serving":
      return `${version} is no longer served`;
    case "storage":
      return `No object is stored as ${version}`;
    case "spec":
      return `${version} is out of spec.versions`;
    case "conversion":
      return "The conversion webhook is gone";
    default:
      return step satisfies never;
  }
}

/** What a step that is done has come to, in a sentence. */
export function stepSummary({ name, state }: RemovalStep, crd: CrdDetail, version: string): string {
  const flags = crd.versions.find((one) => one.name === version);
  switch (name) {
    case "clients":
      return flags?.served ? "It is deprecated. Whether its clients have moved on, nobody can know for certain." : "It is not served.";
    case "serving":
      return "Requests at it are answered with 404.";
    case "storage":
      return `status.storedVersions is [${crd.storedVersions.join(", ")}].`;
    case "spec":
      return "";
    case "conversion":
      if (crd.conversion === "Webhook") return `${nameVersions(crd.versions.map((one) => one.name))} still need it.`;
      return state === "unneeded" ? "Conversion is None: there is no webhook." : "The API server converts by itself.";
    default:
      return name satisfies never;
  }
}
