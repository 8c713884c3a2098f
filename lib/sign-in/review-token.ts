import type { Connection } from "#lib/cluster/connection/connection.ts";
import { reviewSelf } from "#lib/cluster/rights/read-rights.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { SessionEnd } from "#lib/contract/session.ts";

/** kube-apiserver's name for requests without credentials. By default, it also denies them the review. */
const ANONYMOUS = "system:anonymous";

/**
 * The name of a token's owner, according to the API server.
 * @throws AppError unauthenticated if the cluster rejects the token, or ignores it as if nobody had sent one; forbidden if the owner may
 * not ask who they are, and the API server's refusal doesn't say; and cluster_unreachable and the like.
 */
export async function reviewToken(connection: Connection, signal: AbortSignal): Promise<string> {
  const user = await reviewSelf(connection, signal);
  if (user !== ANONYMOUS) return user;
  throw new AppError("unauthenticated", "The cluster treats your token as anonymous.", {
    nextStep: "It may belong to another cluster. Sign in with a new one.",
    details: { signIn: true, ended: "token-refused" satisfies SessionEnd },
    clusterMessage: `userInfo.username: ${user}`,
  });
}
