"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { sessionQuery } from "#lib/queries/session-query.ts";
import { signIn } from "#lib/queries/sign-in-mutations.ts";
import { CookieRefused } from "./cookie-refused.tsx";
import { LaunchFailure } from "./launch-failure.tsx";
import { LaunchHelp } from "./launch-help.tsx";
import { safeReturnPath } from "./safe-return-path.ts";
import { SignedIn } from "./signed-in.tsx";
import { TokenSignIn } from "./token-sign-in.tsx";
import { useLaunchSecret } from "./use-launch-secret.ts";

/** The way in: with a launch link at once, else as the mode has it. */
export function SignIn() {
  const to = safeReturnPath(useSearchParams().get("from"));
  // Another tab may have signed in meanwhile.
  const { data: session, error, refetch } = useQuery({ ...sessionQuery(), refetchOnWindowFocus: "always" });
  const attempt = useMutation(signIn(to));
  const { variables, mutate } = attempt;
  useLaunchSecret(mutate);

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
  switch (session.mode) {
    case "token":
      return (
        <TokenSignIn
          {...{ session, to, failure }}
          onToken={(token) => mutate({ token })}
          isPending={attempt.isPending || attempt.isSuccess}
          error={isLaunch ? null : attempt.error}
        />
      );
    case "local":
      return session.signedIn ? <SignedIn session={session} to={to} /> : <LaunchHelp failure={failure} />;
    case "unsafe-shared-readonly":
      return <SignedIn session={session} to={to} />;
    default:
      return session.mode satisfies never;
  }
}

function Waiting({ text }: { text: string }) {
  return (
    <div role="status" className="mx-auto max-w-xl px-4 py-16">
      <h1 className="text-lg font-semibold text-ink-soft">{text}</h1>
    </div>
  );
}
