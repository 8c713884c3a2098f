import type { Connection } from "#lib/cluster/connection/connection.ts";
import { reviewSelf } from "#lib/cluster/rights/read-rights.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { SessionEnd } from "#lib/contract/session.ts";

/** kube-apiserver's name for requests without credentials. */
const ANONYMOUS = "system:anonymous";
/** By default, it also denies them the review: apiserver/pkg/endpoints/handlers/responsewriters/errors.go at v0.36.3. */
const DENIED_TO_ANONYMOUS = /User "system:anonymous" cannot /;

/**
 * The name of a token's owner, according to the API server.
 * @throws AppError unauthenticated if the cluster rejects the token, or ignores it as if nobody had sent one; forbidden if the owner may
 * not ask who they are; and cluster_unreachable and the like.
 */
export async function reviewToken(connection: Connection, signal: AbortSignal): Promise<string> {
  const user = await reviewSelf(connection, signal).catch((error: unknown) => {
    const message = isAppError(error) && error.code === "forbidden" ? (error.clusterMessage ?? "") : "";
    throw DENIED_TO_ANONYMOUS.test(message) ? ignored(message) : error;
  });
  if (user === ANONYMOUS) throw ignored(`userInfo.username: ${user}`);
  return user;
}

function ignored(clusterMessage: string): AppError {
  return new AppError("unauthenticated", "The cluster treats your token as anonymous.", {
    nextStep: "It may belong to another cluster. Sign in with a new one.",
    details: { signIn: true, ended: "token-refused" satisfies SessionEnd },
    clusterMessage,
  });
}
