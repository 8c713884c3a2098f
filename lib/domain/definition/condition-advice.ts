import { declaredBySuccess, failedUnproven } from "#lib/domain/rewrite/migration.ts";
import { type Crd, type CrdCondition, hasCondition } from "./crd.ts";
import { migrationReason } from "./crd-state.ts";
import { type NameCollision, nameCollisions } from "./name-collisions.ts";

/** What a condition of a definition means, and what to do about it. */
export interface ConditionAdvice extends Words {
  /** The condition's. */
  type: string;
  /** The names that are taken; empty but for NamesAccepted. */
  collisions: NameCollision[];
}

interface Words {
  tone: AdviceTone;
  meaning: string;
  /** Null when there is nothing to do. */
  nextStep: string | null;
}

/** The finalizer of the API server itself: apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go. */
const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

/** Explains every condition of a definition at `now` (ms), in their order; `others` are those among which its names must be free. */
export function conditionAdvice(crd: Crd, others: readonly Crd[], now: number): ConditionAdvice[] {
  const collisions = hasCondition(crd, "NamesAccepted") ? [] : nameCollisions(crd, others);
  return crd.conditions.map((condition) => ({
    type: condition.type,
    ...explained(crd, condition, collisions, now),
    collisions: condition.type === "NamesAccepted" ? collisions : [],
  }));
}

function explained(crd: Crd, condition: CrdCondition, collisions: readonly NameCollision[], now: number): Words {
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
      return terminating(crd, condition);
    case "StorageMigrating":
      return migrating(crd, condition, now);
    default:
      return {
        tone: "unknown",
        meaning: "crdshift does not know this condition: somebody else sets it, or a newer API server.",
        nextStep: "Read its message, or ask whoever sets it.",
      };
  }
}

const undecided: Words = {
  tone: "unknown",
  meaning: "The API server has not decided yet.",
  nextStep: "Wait a few seconds; where it stays so, its log says why.",
};

/** Source: apiextensions-apiserver/pkg/controller/establish/establishing_controller.go. */
function established({ deletionTimestamp }: Crd, { status, reason }: CrdCondition): Words {
  if (status === "True") {
    const until = deletionTimestamp ? "until the deletion is through" : "until it is deleted";
    return { tone: "good", meaning: `Its objects are served, and stay so ${until}.`, nextStep: null };
  }
  switch (reason) {
    case "Installing":
      return { ...undecided, tone: "warn", meaning: "Its names are accepted; the API server is about to serve its objects." };
    case "InvalidCABundle":
      return {
        tone: "blocked",
        meaning: "It is not in discovery: the API server can't read the CA bundle of its conversion webhook.",
        nextStep: "Put certificates as PEM, in base64, into spec.conversion.webhook.clientConfig.caBundle.",
      };
    default:
      return {
        tone: "blocked",
        meaning: "Its objects are not served: not all of its names are accepted.",
        nextStep: "See what NamesAccepted says.",
      };
  }
}

function namesAccepted(crd: Crd, { status }: CrdCondition, collisions: readonly NameCollision[]): Words {
  if (status === "True")
    return { tone: "good", meaning: `No other definition of ${crd.group} has a name that it asks for.`, nextStep: null };
  const isServed = hasCondition(crd, "Established");
  const consequence = isServed
    ? "It stays served under the names that it had before."
    : "Until that is settled its objects are not served.";
  const pluralTaken = collisions.some(({ role }) => role === "plural");
  return {
    tone: isServed ? "warn" : "blocked",
    meaning: `The API server does not accept all of its names, since a definition of ${crd.group} has them already. ${consequence}`,
    nextStep:
      collisions.length === 0
        ? "No definition is seen that has them now: the API server looks again whenever one of the group changes or goes."
        : `${pluralTaken ? "Create it anew with another plural, which can't be changed" : "Ask for other names in spec.names"}, or delete the definition that has them; the API server then looks again by itself.`,
  };
}

/** Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema */
function nonStructural({ status }: CrdCondition): Words {
  if (status === "False") return { tone: "good", meaning: "All of its schemas are structural.", nextStep: null };
  return {
    tone: "warn",
    meaning:
      "A schema leaves types out, or puts what belongs to a field under anyOf, allOf, oneOf or not; or spec.preserveUnknownFields is true. " +
      "No definition can be created like that any more. The API server does not publish such a schema, so kubectl explain knows no fields, and " +
      "server-side apply takes each of its lists as one value. With spec.preserveUnknownFields: true nothing is pruned, and neither defaults nor " +
      "a conversion webhook are allowed.",
    nextStep:
      "Mend what the message names and set spec.preserveUnknownFields: false. The API server shows from then on only what the schemas know, and " +
      "drops the rest at the next write, which no dry run can tell any more: compare the objects with the schemas before.",
  };
}

/** Source: apiextensions-apiserver/pkg/apihelpers/helpers.go, IsProtectedCommunityGroup and GetAPIApprovalState; KEP 2337. */
function approval({ group }: Crd, { status, reason }: CrdCondition): Words {
  const whose = `Its group ${group} belongs to the Kubernetes community, as all of *.k8s.io and *.kubernetes.io do`;
  if (status === "True")
    return { tone: "good", meaning: `${whose}, and its annotation api-approved.kubernetes.io names the approval.`, nextStep: null };
  const annotated =
    reason === "UnapprovedAnnotation"
      ? "and its annotation api-approved.kubernetes.io says that nobody there has approved it"
      : "and its annotation api-approved.kubernetes.io names no approval; the API server would not let it be created so today";
  return {
    tone: "warn",
    meaning: `${whose}, ${annotated}. It works all the same, but Kubernetes may bring an API of the same name.`,
    nextStep: "Move to a group below a domain of your own. Where it was reviewed, put the URL of the approval into the annotation.",
  };
}

/** Source: apiextensions-apiserver/pkg/controller/finalizer/crd_finalizer.go. */
function terminating({ finalizers }: Crd, { status, reason }: CrdCondition): Words {
  const others = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  const held = others.length > 0 ? ` The definition itself is held by ${others.join(", ")}.` : "";
  const byOthers =
    others.length > 0 ? `See to it that whoever set ${others.join(", ")} runs: nobody else knows what is still to be done.` : null;
  if (status !== "True")
    return {
      tone: others.length > 0 ? "warn" : "good",
      meaning: `It was deleted, and the API server is done with its objects.${held}`,
      nextStep: byOthers,
    };
  const isStuck = reason === "InstanceDeletionFailed" || reason === "InstanceDeletionCheck";
  return {
    tone: isStuck ? "blocked" : "warn",
    meaning: `It was deleted. The API server deletes all of its objects first, and they go once their finalizers are gone; no new ones can be created.${held}`,
    nextStep:
      `${reason === "InstanceDeletionFailed" ? "Mend what the message names, else the objects can't be listed or deleted. " : ""}` +
      `See to it that the controllers behind the finalizers below run and can do their work: a finalizer taken away by hand leaves it undone.${byOthers ? ` ${byOthers}` : ""}`,
  };
}

/** Source: kubernetes pkg/controller/storageversionmigrator/migrationrunner.go. */
function migrating(crd: Crd, condition: CrdCondition, now: number): Words {
  const atWork = condition.status === "True" ? migrationReason(crd, now) : null;
  if (atWork !== null)
    return {
      tone: "warn",
      meaning: atWork,
      nextStep: "Wait for its end; until then crdshift starts no rewrite of its own and prunes nothing.",
    };
  const isLeft = condition.status !== "False";
  const what = isLeft
    ? "The cluster's own StorageVersionMigration was deleted while it ran; nobody takes this condition back."
    : "The cluster's own StorageVersionMigration did not succeed.";
  if (failedUnproven(crd))
    return {
      tone: "blocked",
      meaning: `${what} It tells nothing of what is stored, and may have shortened status.storedVersions all the same.`,
      nextStep: "Put back what is missing there, then rewrite: only a proof settles it.",
    };
  if (isLeft || condition.reason === "MigrationFailed")
    return { tone: "good", meaning: `${what} crdshift has proven since how the objects are stored.`, nextStep: null };
  const whole = declaredBySuccess(crd) ? "" : " The spec has changed since, so it says nothing of what was written later.";
  return {
    tone: whole ? "unknown" : "good",
    meaning: `The cluster's own StorageVersionMigration says that it succeeded. That is its word, not a proof.${whole}`,
    nextStep: "A rewrite here proves it.",
  };
}

/** How much what is said of a condition matters: in order, worth a look, to be mended, or not known. */
export const adviceTones = ["good", "warn", "blocked", "unknown"] as const;
export type AdviceTone = (typeof adviceTones)[number];
