import { z } from "zod";
import type { Connection } from "./connection.ts";
import { requestJson } from "./request.ts";

/** What somebody may want to do: https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/ */
export interface ResourceAccess {
  verb: "list" | "get" | "patch" | "watch" | "create" | "delete";
  group: string;
  resource: string;
  subresource?: string;
  name?: string;
}

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean(), reason: z.string().default("") }) });

/** Whether the signed-in user may do it, by SelfSubjectAccessReview, with the authoriser's reason where it gives one. */
export async function mayI(
  connection: Connection,
  access: ResourceAccess,
  signal: AbortSignal,
): Promise<{ allowed: boolean; reason: string }> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes: access } };
  const { json } = await requestJson(connection, {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: { type: "application/json", json: JSON.stringify(review) },
    signal,
  });
  return reviewSchema.parse(json).status;
}
