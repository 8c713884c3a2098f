import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { UNKNOWN_USER } from "#lib/domain/record/known-user.ts";

const reviewSchema = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/** The user's name according to the API server, from a SelfSubjectReview. Throws AppError if the review fails. */
export async function reviewSelf(connection: Connection, signal: AbortSignal): Promise<string> {
  const { json } = await requestJson(connection, {
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { type: "application/json", json: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }) },
    signal,
  });
  return reviewSchema.parse(json).status.userInfo.username;
}

/** The user's name as a label; UNKNOWN_USER if the API server won't say. */
export async function whoAmI(connection: Connection, signal: AbortSignal): Promise<string> {
  try {
    return await reviewSelf(connection, signal);
  } catch {
    // It only labels the run; a rewrite doesn't need this permission.
    signal.throwIfAborted();
    return UNKNOWN_USER;
  }
}
