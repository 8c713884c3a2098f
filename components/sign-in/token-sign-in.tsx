"use client";

import { type ComponentProps, type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { CodeBlock } from "#components/ui/code.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { Button, fieldClass } from "#components/ui/form.tsx";
import { ErrorNotice } from "#components/ui/notice.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { SignedIn } from "./signed-in.tsx";

interface Props extends Omit<ComponentProps<typeof TokenForm>, "takesFocus"> {
  session: SessionInfo;
  to: string;
  /** Why the user is here: a failed sign-in link or an ended session. */
  notice: ReactNode;
}

/** Sign-in with a token. Signed-in users can sign in again, with a longer-lived token or as another user. */
export function TokenSignIn({ session, to, notice, ...form }: Props) {
  if (!session.signedIn) {
    return (
      <EmptyState title="Sign in">
        {notice}
        <TokenTarget cluster={session.cluster} />
        {/* Leave the focus alone until the notice has been read. */}
        <TokenForm {...form} takesFocus={notice === null} />
        <TokenHelp />
      </EmptyState>
    );
  }
  // A proxy's token takes precedence over one entered here.
  if (session.until === null) return <SignedIn {...{ session, to, notice }} />;
  return (
    <SignedIn {...{ session, to, notice }}>
      <h2 className="pt-4 text-sm font-semibold text-ink">Sign in with another token</h2>
      <TokenTarget cluster={session.cluster} />
      <TokenForm {...form} takesFocus={false} />
      <TokenHelp />
    </SignedIn>
  );
}

/** Says which cluster the token is for: entering another cluster's token discloses it. */
function TokenTarget({ cluster }: { cluster: string | null }) {
  if (cluster === null) return null;
  return (
    <p className="[overflow-wrap:anywhere]">
      {cluster === "in-cluster" ? (
        "Sign in to the cluster that crdshift runs in, with a token for that cluster."
      ) : (
        <>
          Sign in to <span className="font-mono text-xs text-ink">{cluster}</span>, with a token for that cluster.
        </>
      )}
    </p>
  );
}

const commands = [
  {
    what: "For a service account:",
    text: "kubectl create token SERVICE_ACCOUNT --namespace NAMESPACE --duration=8h",
    copyLabel: "Copy the command for a service account",
  },
  {
    what: "Your own, if your kubeconfig contains one:",
    text: "kubectl config view --raw --minify -o jsonpath='{.users[0].user.token}'",
    copyLabel: "Copy the command for your own token",
  },
];

/** How to get a token, and what crdshift does with it. */
function TokenHelp() {
  return (
    <section aria-label="How to get a token" className="flex w-full flex-col gap-2 pt-2">
      <h2 className="text-sm font-semibold text-ink">How to get a token</h2>
      <p>
        Any bearer token that the cluster accepts works. crdshift keeps it encrypted in a cookie in this browser, and uses only its
        permissions.
      </p>
      {commands.map(({ what, text, copyLabel }) => (
        <div key={what} className="flex flex-col gap-1">
          <p>{what}</p>
          <CodeBlock text={text} copyLabel={copyLabel} />
        </div>
      ))}
    </section>
  );
}

interface TokenFormProps {
  onToken: (token: string) => void;
  isPending: boolean;
  error: Error | null;
  /** Whether to focus the field on load. */
  takesFocus: boolean;
}

/** The token form. The field has no name, which keeps the token out of the URL if the form is submitted without JavaScript. */
function TokenForm({ onToken, isPending, error, takesFocus }: TokenFormProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [token, setToken] = useState("");
  const [isMissing, setMissing] = useState(false);
  useEffect(() => {
    if (takesFocus) field.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const isEmpty = !token.trim();
    setMissing(isEmpty);
    if (isEmpty) field.current?.focus();
    else if (!isPending) onToken(token);
  };
  const isWrong = isMissing || error !== null;
  return (
    <form onSubmit={submit} className="flex w-full flex-col items-start gap-2">
      <label htmlFor={id} className="text-sm font-medium text-ink">
        Bearer token
      </label>
      <input
        ref={field}
        id={id}
        type="password"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={token}
        onChange={(event) => {
          setToken(event.target.value);
          setMissing(false);
        }}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-error` : undefined}
        className={`${fieldClass} w-full font-mono text-ink`}
      />
      {isWrong ? (
        <div id={`${id}-error`} className="w-full">
          {isMissing || error === null ? <ErrorNotice message="Paste a token first." /> : <ApiErrorNotice error={error} />}
        </div>
      ) : null}
      <Button type="submit" weight="primary" disabled={isPending}>
        {isPending ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  );
}
