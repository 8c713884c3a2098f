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

/** Shown if the user is signed in or needs no sign-in, with a link to continue. */
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
        {to === "/" ? "Go to the clusters" : "Continue"}
      </ButtonLink>
      {children}
    </EmptyState>
  );
}

function titleOf({ mode, ended }: SessionInfo): string {
  if (mode === "unsafe-shared-readonly") return "No sign-in needed";
  // Applies only to a proxy's token: with a cookie, the session would count as signed out.
  return ended === "token-refused" ? "Sign in again" : "You are signed in";
}

function meaning({ mode, user, until }: SessionInfo): string {
  switch (mode) {
    case "unsafe-shared-readonly":
      return "Everyone who can reach this address uses one shared, read-only account.";
    case "local":
      return "This browser uses the kubeconfig that crdshift was started with.";
    case "token": {
      const who =
        user === null
          ? "The cluster doesn't say who you are: it may no longer accept your token."
          : `The cluster knows you as ${userWords(user)}.`;
      return until === null ? `${who} Your token comes from the proxy in front of crdshift; sign in and out there.` : who;
    }
    default:
      return mode satisfies never;
  }
}
