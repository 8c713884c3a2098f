import { z } from "zod";
import { isFresh } from "#lib/async/is-fresh.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { oldestBeyond } from "#lib/cluster/connection/oldest-beyond.ts";
import { boundedText } from "#lib/cluster/transport/bounded-text.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { DefinitionsDenied, Rights } from "#lib/contract/rights.ts";
import { UNKNOWN_USER } from "#lib/domain/audit/known-user.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type GuardedAction, guardedActions, neededRights, type Right } from "#lib/domain/rewrite/needed-rights.ts";
import { refusalWords } from "./refusal-words.ts";

const FRESH_MS = 30_000;
const MAX_KNOWN = 500;

interface Known {
  at: number;
  rights: Rights;
}

/** By connection, to keep each person's permissions apart. */
const known = new WeakMap<Connection, Map<string, Known>>();

/**
 * The permissions that the signed-in user lacks for the definition, by action, from the cluster's SelfSubjectAccessReviews; asked at
 * most twice a minute. For display only: the cluster checks every action again. Throws AppError if the cluster can't be asked.
 */
export async function readRights(connection: Connection, crd: Crd, signal: AbortSignal): Promise<Rights> {
  const ofConnection = known.get(connection) ?? new Map<string, Known>();
  known.set(connection, ofConnection);
  const before = ofConnection.get(crd.uid);
  if (before && isFresh(before.at, FRESH_MS)) return before.rights;
  const rights = await askRights(connection, crd, signal);
  ofConnection.delete(crd.uid);
  ofConnection.set(crd.uid, { at: Date.now(), rights });
  for (const uid of oldestBeyond(ofConnection, MAX_KNOWN)) ofConnection.delete(uid);
  return rights;
}

async function askRights(connection: Connection, crd: Crd, signal: AbortSignal): Promise<Rights> {
  const asked = new Map<string, Promise<{ allowed: boolean }>>();
  const isAllowed = async ({ verb, group, resource, subresource, name }: Right) => {
    const right = { verb, group, resource, ...(subresource && { subresource }), ...(name && { name }) };
    const key = JSON.stringify(right);
    const answer = asked.get(key) ?? mayI(connection, right, signal);
    asked.set(key, answer);
    return (await answer).allowed;
  };
  const missingFor = async (action: GuardedAction) => {
    const rights = await Promise.all(neededRights(crd, action).map(async (right) => ({ right, allowed: await isAllowed(right) })));
    return rights.filter(({ allowed }) => !allowed).map(({ right }) => right);
  };
  const [dryRun, rewrite, prune, changeSpec, clean, control] = await Promise.all(guardedActions.map(missingFor));
  return {
    missing: {
      "dry-run": dryRun ?? [],
      rewrite: rewrite ?? [],
      prune: prune ?? [],
      "change-spec": changeSpec ?? [],
      clean: clean ?? [],
      control: control ?? [],
    },
    asOf: new Date().toISOString(),
  };
}

/** In characters. A record has room for many runs, and a name may have thousands. */
const LABEL_MAX_LENGTH = 256;

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean(), reason: z.string().default("") }) });

/**
 * Whether the signed-in user has the permission, in all namespaces unless one is given, with the authorizer's reason if it gives one:
 * https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/
 */
export async function mayI(
  connection: Connection,
  right: Right & { namespace?: string },
  signal: AbortSignal,
): Promise<{ allowed: boolean; reason: string }> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes: right } };
  const { json } = await requestJson(connection, {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: { type: "application/json", json: JSON.stringify(review) },
    signal,
  });
  return reviewSchema.parse(json).status;
}

/** If listing or watching definitions failed for lack of permission: an error that names the user and the verb. Otherwise null. */
export function definitionsDenied(error: unknown): AppError | null {
  if (!isAppError(error) || error.code !== "forbidden") return null;
  const { user, verb } = refusalWords(error.clusterMessage ?? "") ?? { user: null, verb: null };
  const denied: DefinitionsDenied = { verb: verb === "watch" ? verb : "list", user };
  return new AppError("forbidden", `You don't have permission to ${denied.verb} CustomResourceDefinitions.`, {
    nextStep: "Ask for the ClusterRole crdshift-viewer, or another role that allows it.",
    clusterMessage: error.clusterMessage,
    details: { definitionsDenied: denied },
    cause: error,
  });
}

const selfSchema = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/**
 * The user's name according to the API server: from a SelfSubjectReview, or from its refusal of one.
 * @throws AppError if the review fails, forbidden if the refusal doesn't name the user.
 */
export async function reviewSelf(connection: Connection, signal: AbortSignal): Promise<string> {
  try {
    const { json } = await requestJson(connection, {
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { type: "application/json", json: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }) },
      signal,
    });
    return selfSchema.parse(json).status.userInfo.username;
  } catch (error) {
    const refusal = isAppError(error) && error.code === "forbidden" ? refusalWords(error.clusterMessage ?? "") : null;
    if (refusal === null || refusal.user === null || refusal.resource !== "selfsubjectreviews") throw error;
    return refusal.user;
  }
}

/** The user's name as a label, as the API server has said or says now; UNKNOWN_USER if it won't. */
export async function whoAmI(connection: Connection, signal: AbortSignal): Promise<string> {
  const known = connection.userName();
  // Whoever has their own reviews throttled stays who they are.
  if (known !== null) return boundedText(known, LABEL_MAX_LENGTH);
  try {
    return boundedText(await reviewSelf(connection, signal), LABEL_MAX_LENGTH);
  } catch {
    // It only labels the run; a rewrite doesn't need this permission.
    signal.throwIfAborted();
    return UNKNOWN_USER;
  }
}
