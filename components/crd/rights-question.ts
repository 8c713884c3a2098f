import type { SessionInfo } from "#lib/contract/session.ts";
import { canIcommand, type Right } from "#lib/domain/needed-rights.ts";
import { serviceAccountOf } from "#lib/domain/service-account.ts";
import { contextFlagFor, quoted } from "./kubectl.ts";

type Session = Pick<SessionInfo, "mode" | "user">;

/** The commands that ask the cluster what crdshift asked it, and with whose kubeconfig that is of use. `session` is null until it is known. */
export function rightsQuestion(
  rights: readonly Right[],
  cluster: string,
  session: Session | null,
): { heading: string; commands: string[] } {
  const { heading, flags } = askedAs(cluster, session);
  // crdshift asks for all namespaces; kubectl would ask for the one that happens to be current.
  return { heading, commands: rights.map((right) => `${canIcommand(right)} --all-namespaces${flags}`) };
}

function askedAs(cluster: string, session: Session | null): { heading: string; flags: string } {
  const flags = contextFlagFor(session, cluster);
  if (session?.mode !== "token") return { heading: "Ask the cluster:", flags };
  // The API server knows the groups of a service account; of other users kubectl would have to name them.
  if (session.user === null || !serviceAccountOf(session.user)) {
    return { heading: "Ask the cluster, with a kubeconfig of the account that you signed in with:", flags };
  }
  return { heading: "Ask the cluster, with a kubeconfig that may impersonate:", flags: `${flags} --as=${quoted(session.user)}` };
}
