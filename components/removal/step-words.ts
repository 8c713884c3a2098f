import { nameVersions } from "#components/shared/version-badge.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { RemovalStep } from "#lib/contract/definition/removal.ts";
import type { RemovalStepName } from "#lib/domain/removal/removal-steps.ts";

const HELD = { rights: "you lack permission", "read-only": "crdshift is read-only" };

interface Seen {
  isCurrent: boolean;
  /** What keeps the user from taking a step that is ready. */
  heldBy: "rights" | "read-only" | null;
}

/** How a step's state looks: a sign, a word and a color class. */
export function stepLook(
  { state, refusal }: Pick<RemovalStep, "state" | "refusal">,
  { isCurrent, heldBy }: Seen,
): { sign: string; word: string; color: string } {
  switch (state) {
    case "done":
      return { sign: "✓", word: "done", color: "text-good" };
    case "unneeded":
      return { sign: "–", word: "not needed", color: "" };
    case "ready":
      if (heldBy) return { sign: "○", word: `ready, but ${HELD[heldBy]}`, color: "" };
      return isCurrent ? { sign: "●", word: "next", color: "text-working" } : { sign: "○", word: "ready", color: "" };
    case "refused":
      if (isCurrent && refusal?.run) return { sign: "●", word: "rewrite running", color: "text-working" };
      return isCurrent ? { sign: "▲", word: "not safe yet", color: "text-warning" } : { sign: "○", word: "not yet", color: "" };
    default:
      return state satisfies never;
  }
}

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

/** The result of a finished step, in a sentence. */
export function stepSummary({ name, state }: RemovalStep, crd: CrdDetail, version: string): string {
  const flags = crd.versions.find((one) => one.name === version);
  switch (name) {
    case "clients":
      return flags?.served ? "Deprecated. crdshift can't confirm that all clients have migrated." : "Not served.";
    case "serving":
      return "Requests get a 404.";
    case "storage":
      return `status.storedVersions is [${crd.storedVersions.join(", ")}]${crd.proof?.standing === "valid" ? "" : " (not verified)"}.`;
    case "spec":
      return "";
    case "conversion":
      if (crd.conversion === "Webhook") return `${nameVersions(crd.versions.map((one) => one.name))} still need it.`;
      return state === "unneeded" ? "Conversion is None: there is no webhook." : "The API server converts without it.";
    default:
      return name satisfies never;
  }
}
