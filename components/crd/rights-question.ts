import type { SessionInfo } from "#lib/contract/session.ts";
import { canIcommand, type Right } from "#lib/domain/needed-rights.ts";
import { serviceAccountOf } from "#lib/domain/service-account.ts";
import { kubectlFor, quoted } from "./kubectl.ts";

type Session = Pick<SessionInfo, "mode" | "user">;

/** The commands that ask the cluster what crdshift asked it, and with whose kubeconfig that is of use. `session` is null until it is known. */
export function rightsQuestion(
  rights: readonly Right[],
  cluster: string,
  session: Session | null,
): { heading: string; commands: string[] } {
  const { heading, as } = askedAs(session);
  const kubectl = kubectlFor(session, cluster);
  // crdshift asks for all namespaces; kubectl would ask for the one that happens to be current.
  return { heading, commands: rights.map((right) => `${canIcommand(kubectl, right)} --all-namespaces${as}`) };
}

function askedAs(session: Session | null): { heading: string; as: string } {
  if (session?.mode !== "token") return { heading: "Ask the cluster:", as: "" };
  // The API server knows the groups of a service account; of other users kubectl would have to name them.
  if (session.user === null || !serviceAccountOf(session.user)) {
    return { heading: "Ask the cluster, with a kubeconfig of the account that you signed in with:", as: "" };
  }
  return { heading: "Ask the cluster, with a kubeconfig that may impersonate:", as: ` --as=${quoted(session.user)}` };
}
