import { declaredBySuccess, failedUnproven } from "#lib/domain/rewrite/other-engines.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { type Crd, type CrdCondition, hasCondition } from "./crd.ts";
import { migrationReason } from "./crd-state.ts";
import { type NameCollision, nameCollisions } from "./name-collisions.ts";

/** What a condition means and what to do about it. */
export interface ConditionAdvice extends Words {
  /** The condition's type. */
  type: string;
  /** Names already taken; empty except for the first NamesAccepted. */
  collisions: NameCollision[];
}

interface Words {
  tone: AdviceTone;
  meaning: string;
  /** Null when there is nothing to do. */
  nextStep: string | null;
}

/** The API server's own finalizer: apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go. */
const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** The API server sets six at most, but whoever may patch the status can add thousands, also of one type. */
export const MOST_EXPLAINED = 20;
const MOST_FINALIZERS = 5;

/** Explains the first 20 conditions of a definition at `now` (ms), in order. `others` are the definitions its names may collide with. */
export function conditionAdvice(crd: Crd, others: readonly Crd[], now: number): ConditionAdvice[] {
  const collisions = hasCondition(crd, "NamesAccepted") ? [] : nameCollisions(crd, others);
  const finalizers = crd.finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  const first = crd.conditions.findIndex(({ type }) => type === "NamesAccepted");
  return crd.conditions.slice(0, MOST_EXPLAINED).map((condition, index) => ({
    type: condition.type,
    ...explained(crd, condition, { collisions, finalizers, now }),
    collisions: index === first ? collisions : [],
  }));
}

/** What several conditions are explained with. */
interface Found {
  collisions: readonly NameCollision[];
  /** All but the API server's own. */
  finalizers: readonly string[];
  now: number;
}

function explained(crd: Crd, condition: CrdCondition, { collisions, finalizers, now }: Found): Words {
  switch (condition.type) {
    case "Established":
      return condition.status === "Unknown" ? undecided : established(crd, condition);
    case "NamesAccepted":
      return condition.status === "Unknown" ? undecided : namesAccepted(crd, condition, collisions);
    case "NonStructuralSchema":
      return nonStructural(condition);
    case "KubernetesAPIApprovalPolicyConformant":
      return condition.status === "Unknown" ? undecided : approval(crd, condition);
    case "Terminating":
      return terminating(finalizers, condition);
    case "StorageMigrating":
      return migrating(crd, condition, now);
    default:
      return {
        tone: "unknown",
        meaning: "crdshift doesn't know this condition; another controller or a newer API server sets it.",
        nextStep: "Read its message, or check the controller that sets it.",
      };
  }
}

const undecided: Words = {
  tone: "unknown",
  meaning: "The API server has not decided yet.",
  nextStep: "Wait a few seconds. If nothing changes, check the API server's log.",
};

/** Source: apiextensions-apiserver/pkg/controller/establish/establishing_controller.go. */
function established({ deletionTimestamp }: Crd, { status, reason }: CrdCondition): Words {
  if (status === "True") {
    const until = deletionTimestamp ? "until the deletion completes" : "until it is deleted";
    return { tone: "good", meaning: `Its objects are served ${until}.`, nextStep: null };
  }
  switch (reason) {
    case "Installing":
      return { ...undecided, tone: "warn", meaning: "Its names are accepted; the API server is about to serve its objects." };
    case "InvalidCABundle":
      return {
        tone: "blocked",
        meaning: "It is missing from discovery because the API server can't read its conversion webhook's CA bundle.",
        nextStep: "Set spec.conversion.webhook.clientConfig.caBundle to base64-encoded PEM certificates.",
      };
    default:
      return {
        tone: "blocked",
        meaning: "Its objects are not served because not all of its names are accepted.",
        nextStep: "See NamesAccepted.",
      };
  }
}

function namesAccepted(crd: Crd, { status }: CrdCondition, collisions: readonly NameCollision[]): Words {
  if (status === "True") return { tone: "good", meaning: `No other definition in ${crd.group} uses its names.`, nextStep: null };
  const isServed = hasCondition(crd, "Established");
  const consequence = isServed ? "It stays served under its previous names." : "Until this is resolved, its objects are not served.";
  const pluralTaken = collisions.some(({ role }) => role === "plural");
  return {
    tone: isServed ? "warn" : "blocked",
    meaning: `The API server doesn't accept all of its names because a definition in ${crd.group} already uses them. ${consequence}`,
    nextStep:
      collisions.length === 0
        ? "No definition seems to use them now. The API server checks again when a definition in the group changes or is deleted."
        : `${pluralTaken ? "Recreate it with another plural, which can't be changed in place" : "Choose other names in spec.names"}, or delete the definition that uses them; the API server then checks again automatically.`,
  };
}

// Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
function nonStructural({ status }: CrdCondition): Words {
  if (status === "False") return { tone: "good", meaning: "All its schemas are structural.", nextStep: null };
  return {
    tone: "warn",
    meaning:
      "A schema omits types or puts field attributes under anyOf, allOf, oneOf, or not, or spec.preserveUnknownFields is true. " +
      "You can no longer create a definition like this. The API server does not publish such a schema, so kubectl explain shows no fields and " +
      "server-side apply treats each list as a single value. With spec.preserveUnknownFields: true, nothing is pruned, and neither defaults nor " +
      "a conversion webhook are allowed.",
    nextStep:
      "Compare the objects with the schemas first. Then fix what the message names and set spec.preserveUnknownFields: false. From then on, " +
      "the API server shows only fields in the schemas and drops the rest at the next write, which a dry run can no longer detect.",
  };
}

/** Source: apiextensions-apiserver/pkg/apihelpers/helpers.go, IsProtectedCommunityGroup and GetAPIApprovalState; KEP 2337. */
function approval({ group }: Crd, { status, reason }: CrdCondition): Words {
  const whose = `Its group ${group} belongs to the Kubernetes community, like all of *.k8s.io and *.kubernetes.io`;
  if (status === "True")
    return { tone: "good", meaning: `${whose}, and its annotation api-approved.kubernetes.io names the approval.`, nextStep: null };
  const annotated =
    reason === "UnapprovedAnnotation"
      ? "and its annotation api-approved.kubernetes.io marks it as unapproved"
      : "and its annotation api-approved.kubernetes.io names no approval; the API server would no longer let you create it like this";
  return {
    tone: "warn",
    meaning: `${whose}, ${annotated}. It works, but Kubernetes may introduce an API with the same name.`,
    nextStep: "Move to a group under your own domain. If the API was reviewed, set the annotation to the approval's URL.",
  };
}

/** Source: apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go. */
function terminating(finalizers: readonly string[], { status, reason }: CrdCondition): Words {
  const [isHeld, names] = [finalizers.length > 0, firstOf(finalizers, MOST_FINALIZERS)];
  const held = isHeld ? ` The definition itself is held by ${names}.` : "";
  const byOthers = isHeld ? `Make sure the controllers behind ${names} are running; only they know what is left to do.` : null;
  if (status !== "True")
    return {
      tone: isHeld ? "warn" : "good",
      meaning: `It was deleted, and the API server has finished deleting its objects.${held}`,
      nextStep: byOthers,
    };
  const isStuck = reason === "InstanceDeletionFailed" || reason === "InstanceDeletionCheck";
  return {
    tone: isStuck ? "blocked" : "warn",
    meaning: `It was deleted. The API server deletes all its objects first; each disappears once its finalizers are gone. No new ones can be created.${held}`,
    nextStep:
      `${reason === "InstanceDeletionFailed" ? "Fix what the message names; otherwise, the objects can't be listed or deleted. " : ""}` +
      `Make sure the controllers behind the finalizers below are running and can do their work; removing a finalizer by hand leaves it undone.${byOthers ? ` ${byOthers}` : ""}`,
  };
}

/** Source: kubernetes pkg/controller/storageversionmigrator/migrationrunner.go. */
function migrating(crd: Crd, condition: CrdCondition, now: number): Words {
  const atWork = condition.status === "True" ? migrationReason(crd, now) : null;
  if (atWork !== null)
    return {
      tone: "warn",
      meaning: atWork,
      nextStep: "Wait until it ends; until then, crdshift starts no rewrite and prunes nothing.",
    };
  const isLeft = condition.status !== "False";
  const what = isLeft
    ? "The cluster's own StorageVersionMigration was deleted while running; nothing clears this condition."
    : "The cluster's own StorageVersionMigration didn't succeed.";
  if (failedUnproven(crd))
    return {
      tone: "blocked",
      meaning: `${what} It says nothing about what is stored, but may have shortened status.storedVersions.`,
      nextStep: "Repair storedVersions, then rewrite; only a proof settles it.",
    };
  if (isLeft || condition.reason === "MigrationFailed")
    return { tone: "good", meaning: `${what} crdshift has since proven how the objects are stored.`, nextStep: null };
  const changed =
    condition.observedGeneration === crd.generation
      ? "changed while it ran, so it says nothing about what is stored."
      : "has changed since, so it says nothing about later writes.";
  const whole = declaredBySuccess(crd) ? "" : ` The spec ${changed}`;
  return {
    tone: whole ? "unknown" : "good",
    meaning: `The cluster's own StorageVersionMigration reports success. That is not a proof.${whole}`,
    nextStep: "Run a rewrite to prove it.",
  };
}

/** Severity of a condition: fine, worth a look, needs a fix, or unknown. */
export const adviceTones = ["good", "warn", "blocked", "unknown"] as const;
export type AdviceTone = (typeof adviceTones)[number];
