import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import type { Right } from "#lib/domain/rewrite/needed-rights.ts";

const reviewSchema = z.object({ status: z.object({ allowed: z.boolean(), reason: z.string().default("") }) });

/**
 * Whether the signed-in user has the permission, with the authorizer's reason if it gives one:
 * https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/
 */
export async function mayI(connection: Connection, right: Right, signal: AbortSignal): Promise<{ allowed: boolean; reason: string }> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", spec: { resourceAttributes: right } };
  const { json } = await requestJson(connection, {
    method: "POST",
    path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    body: { type: "application/json", json: JSON.stringify(review) },
    signal,
  });
  return reviewSchema.parse(json).status;
}
