import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { UNKNOWN_USER } from "#lib/domain/record/known-user.ts";

const reviewSchema = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/** The user that the API server sees, by SelfSubjectReview. Throws AppError where it won't say. */
export async function reviewSelf(connection: Connection, signal: AbortSignal): Promise<string> {
  const { json } = await requestJson(connection, {
    method: "POST",
    path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    body: { type: "application/json", json: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }) },
    signal,
  });
  return reviewSchema.parse(json).status.userInfo.username;
}

/** The same for a label; UNKNOWN_USER where the API server won't say. */
export async function whoAmI(connection: Connection, signal: AbortSignal): Promise<string> {
  try {
    return await reviewSelf(connection, signal);
  } catch {
    // It only labels the run; whoever may not ask may still rewrite.
    signal.throwIfAborted();
    return UNKNOWN_USER;
  }
}
