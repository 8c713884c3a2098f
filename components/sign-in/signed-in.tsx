"use client";

import type { ReactNode } from "react";
import { userWords } from "#components/shared/names.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button, ButtonLink } from "#components/ui/form.tsx";
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

/** Shown if the server accepted the sign-in but the browser dropped the cookie. */
export function CookieRefused({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState title="Your browser blocked the sign-in cookie">
      <p role="alert">crdshift accepted the sign-in and sent a cookie, but your browser didn't send it back, so you aren't signed in.</p>
      <ul className="flex list-disc flex-col gap-1 pl-4 [overflow-wrap:anywhere]">
        {cookieAdvice(window.location).map((advice) => (
          <li key={advice}>{advice}</li>
        ))}
      </ul>
      <Button onClick={onRetry}>Sign in again</Button>
    </EmptyState>
  );
}

/** What to do if the browser dropped the sign-in cookie. */
export function cookieAdvice({ protocol, host, hostname, port }: Pick<Location, "protocol" | "host" | "hostname" | "port">): string[] {
  const allow = `Allow cookies for ${host}. Ad blockers, private windows and browser policies can block them.`;
  if (protocol === "https:" || isThisMachine(hostname)) return [allow];
  const local = `http://localhost${port ? `:${port}` : ""}`;
  return [
    `Open crdshift at its https address, or at ${local} on the machine where it runs or is forwarded to. This page came from ${host} over plain http, where browsers may drop the cookie.`,
    allow,
  ];
}

function isThisMachine(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
