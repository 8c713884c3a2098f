import type { ReactNode } from "react";
import { userWords } from "#components/crd/user-or-unknown.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Time } from "#components/ui/time.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";

interface Props {
  session: SessionInfo;
  to: string;
  notice?: ReactNode;
  children?: ReactNode;
}

/** Says that nobody has to sign in any more, or at all, with the way on. */
export function SignedIn({ session, to, notice, children }: Props) {
  return (
    <EmptyState title={titleOf(session)}>
      {notice}
      <p className="[overflow-wrap:anywhere]">
        {meaning(session)}
        {session.until ? (
          <>
            {" "}
            The session ends at <Time at={session.until} />.
          </>
        ) : null}
      </p>
      <ButtonLink href={to} prefetch={false}>
        {to === "/" ? "Go to the clusters" : "Go on to where you were"}
      </ButtonLink>
      {children}
    </EmptyState>
  );
}

function titleOf({ mode, ended }: SessionInfo): string {
  if (mode === "unsafe-shared-readonly") return "Nobody signs in here";
  // Only of a proxy's token: whoever came with a cookie counts as not signed in then.
  return ended === "token-refused" ? "Sign in anew" : "You are signed in";
}

function meaning({ mode, user, until }: SessionInfo): string {
  switch (mode) {
    case "unsafe-shared-readonly":
      return "Everybody who reaches this address reads with one shared account. Nothing can be changed.";
    case "local":
      return "This browser acts with the kubeconfig that crdshift was started with.";
    case "token": {
      const who =
        user === null
          ? "The cluster does not say who you are: it may not take your token any more."
          : `The cluster calls you ${userWords(user)}.`;
      return until === null ? `${who} The token comes from the proxy in front of crdshift, where you sign in and out.` : who;
    }
    default:
      return mode satisfies never;
  }
}
