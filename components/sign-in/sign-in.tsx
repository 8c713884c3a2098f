"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { type SessionEnd, type SessionInfo, sessionEndSchema } from "#lib/contract/session.ts";
import { sessionQuery } from "#lib/queries/session-query.ts";
import { signIn } from "#lib/queries/sign-in-mutations.ts";
import { CookieRefused } from "./cookie-refused.tsx";
import { EndNotice } from "./end-notice.tsx";
import { LaunchFailure } from "./launch-failure.tsx";
import { LaunchHelp } from "./launch-help.tsx";
import { safeReturnPath } from "./safe-return-path.ts";
import { SignedIn } from "./signed-in.tsx";
import { TokenSignIn } from "./token-sign-in.tsx";
import { useGoOn } from "./use-go-on.ts";
import { useLaunchSecret } from "./use-launch-secret.ts";

/** The way in: with a launch link at once, else as the mode has it. */
export function SignIn() {
  const parameters = useSearchParams();
  const to = safeReturnPath(parameters.get("from"));
  // Another tab may have signed in meanwhile.
  const { data: session, error, refetch } = useQuery({ ...sessionQuery(), refetchOnWindowFocus: "always" });
  const attempt = useMutation(signIn(to));
  const { variables, mutate } = attempt;
  useLaunchSecret(mutate);
  useGoOn(session, to);

  if (attempt.data?.signedIn === false) return <CookieRefused onRetry={attempt.reset} />;
  const isLaunch = variables !== undefined && "launch" in variables;
  if (isLaunch && !attempt.isError) return <Waiting text="Signing you in…" />;
  const failure = isLaunch && attempt.error ? <LaunchFailure error={attempt.error} onRetry={() => mutate(variables)} /> : null;
  if (!session) {
    if (failure) return <EmptyState title="Sign in">{failure}</EmptyState>;
    if (!error) return <Waiting text="Asking how to sign in…" />;
    return (
      <EmptyState title="Sign in">
        <div className="w-full">
          <ApiErrorNotice error={error}>
            <Button onClick={() => refetch()}>Try again</Button>
          </ApiErrorNotice>
        </div>
      </EmptyState>
    );
  }
  const ended = endOf(session, parameters.get("ended"));
  const notice = failure ?? (ended ? <EndNotice {...{ ended, session, to }} /> : null);
  switch (session.mode) {
    case "token":
      return (
        <TokenSignIn
          {...{ session, to, notice }}
          onToken={(token) => mutate({ token })}
          isPending={attempt.isPending || attempt.isSuccess}
          error={isLaunch ? null : attempt.error}
        />
      );
    case "local":
      return session.signedIn ? <SignedIn session={session} to={to} /> : <LaunchHelp notice={notice} />;
    case "unsafe-shared-readonly":
      return <SignedIn session={session} to={to} />;
    default:
      return session.mode satisfies never;
  }
}

/** Why one is not signed in any more, as the page that was left knew it, or else the server; null while one is, and for what is no such reason. */
function endOf(session: SessionInfo, named: string | null): SessionEnd | null {
  if (session.signedIn && session.ended === null) return null;
  return sessionEndSchema.safeParse(named).data ?? session.ended;
}

function Waiting({ text }: { text: string }) {
  return (
    <div role="status" className="mx-auto max-w-xl px-4 py-16">
      <h1 className="text-lg font-semibold text-ink-soft">{text}</h1>
    </div>
  );
}
