"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useRef } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { CodeBlock } from "#components/ui/code.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { type SessionEnd, type SessionInfo, sessionEndSchema } from "#lib/contract/session.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { leavePage, SIGN_IN_PATH } from "#lib/queries/session/leave-page.ts";
import { sessionQuery } from "#lib/queries/session/session-query.ts";
import { signIn } from "#lib/queries/session/sign-in.ts";
import { endWords, isRunPage } from "./end-words.ts";
import { CookieRefused, SignedIn } from "./signed-in.tsx";
import { TokenSignIn } from "./token-sign-in.tsx";

/** The sign-in page: signs in from a sign-in link immediately, else shows what the mode requires. */
export function SignIn() {
  const parameters = useSearchParams();
  const to = safeReturnPath(parameters.get("from"));
  // Another tab may have signed in meanwhile.
  const { data: session, error, refetch } = useQuery({ ...sessionQuery(), refetchOnWindowFocus: "always" });
  const attempt = useMutation(signIn(to));
  const { variables, mutate } = attempt;
  useLinkSecret(mutate);
  useGoOn(session, to);

  if (attempt.data?.signedIn === false) return <CookieRefused onRetry={attempt.reset} />;
  const isLink = variables !== undefined && "launch" in variables;
  if (isLink && !attempt.isError) return <Waiting text="Signing you in…" />;
  const failure = isLink && attempt.error ? <LinkFailure error={attempt.error} onRetry={() => mutate(variables)} /> : null;
  if (!session) {
    if (failure) return <EmptyState title="Sign in">{failure}</EmptyState>;
    if (!error) return <Waiting text="Loading…" />;
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
          error={isLink ? null : attempt.error}
        />
      );
    case "local":
      return session.signedIn ? <SignedIn session={session} to={to} /> : <LinkHelp notice={notice} />;
    case "unsafe-shared-readonly":
      return <SignedIn session={session} to={to} />;
    default:
      return session.mode satisfies never;
  }
}

/** Why the session ended, according to the previous page or else the server; null if signed in or unknown. */
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

/** A placeholder origin: a URL that stays on it stays on crdshift's origin. */
const HERE = "http://here.invalid";

/** Where to go after sign-in: the requested path if it is a crdshift page, else the first page. */
export function safeReturnPath(from: string | null): string {
  if (!from?.startsWith("/") || !URL.canParse(from, HERE)) return "/";
  // Browsers treat "//", "/\" and "/<tab>/" as the start of another host, and normalize "/.//" to "//".
  const { origin, pathname } = new URL(from, HERE);
  return origin === HERE && !pathname.startsWith("//") && pathname !== SIGN_IN_PATH ? from : "/";
}

/** Goes to `to` once the session becomes signed in while this page is open: in another tab, or as the cluster accepts the token again. */
function useGoOn(session: SessionInfo | undefined, to: string): void {
  const wasSignedOut = useRef(false);
  const isSignedIn = session?.signedIn;
  useEffect(() => {
    if (isSignedIn === false) wasSignedOut.current = true;
    else if (isSignedIn && wasSignedOut.current) leavePage(to);
  }, [isSignedIn, to]);
}

/** Says why the user has to sign in again. */
function EndNotice({ ended, session, to }: { ended: SessionEnd; session: SessionInfo; to: string }) {
  const { mode, signedIn, until } = session;
  const { title, text } = endWords(ended, { mode, byProxy: signedIn && until === null, showedRun: isRunPage(to) });
  return (
    <div className="w-full">
      <Notice tone="neutral" role="status" title={title}>
        <p>{text}</p>
      </Notice>
    </div>
  );
}

/** Why the sign-in link failed, with a retry if the failure may be temporary. */
function LinkFailure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className="w-full">
      <ApiErrorNotice error={error}>{mayBeTemporary(error) ? <Button onClick={onRetry}>Try again</Button> : null}</ApiErrorNotice>
    </div>
  );
}

function mayBeTemporary(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;
}

/** Says where to find the sign-in link. */
function LinkHelp({ notice }: { notice: ReactNode }) {
  return (
    <EmptyState title="Open the link that crdshift printed">
      {notice}
      <p>
        Find it in the output of crdshift. It ends in <code className="font-mono text-xs">/sign-in#launch=…</code>. Each link signs in one
        browser, once; crdshift then prints a new one. Once you are signed in, this page continues automatically.
      </p>
      <h2 className="pt-2 text-sm font-semibold text-ink">Scripts</h2>
      <p>Scripts need no link. Start crdshift with CRDSHIFT_TOKEN set, and send its value as a bearer token.</p>
      <div className="w-full">
        <CodeBlock
          text={`printf 'Authorization: Bearer %s' "$CRDSHIFT_TOKEN" | curl -H @- ${window.location.origin}/api/clusters`}
          copyLabel="Copy the command"
        />
      </div>
    </EmptyState>
  );
}

/** Signs in with the secret from a sign-in link, on load or when the hash changes. */
function useLinkSecret(signIn: (body: { launch: string }) => void): void {
  useEffect(() => {
    const take = () => {
      const secret = linkSecretOf(window.location.hash);
      if (secret === null) return;
      // Remove it from the URL first: URLs are saved, synced and shared.
      window.history.replaceState(window.history.state, "", `${window.location.pathname}${window.location.search}`);
      signIn({ launch: secret });
    };
    take();
    window.addEventListener("hashchange", take);
    return () => window.removeEventListener("hashchange", take);
  }, [signIn]);
}

/** The secret in a sign-in link's fragment, or null. */
export function linkSecretOf(fragment: string): string | null {
  return new URLSearchParams(fragment.replace(/^#/, "")).get("launch") || null;
}
