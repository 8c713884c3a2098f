"use client";

import type { ComponentProps, ReactNode } from "react";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { ErrorNotice } from "#components/ui/error-notice.tsx";
import { fieldClass } from "#components/ui/menu-class.ts";
import type { SessionInfo } from "#lib/contract/session.ts";
import { SignedIn } from "./signed-in.tsx";

interface Props extends Omit<ComponentProps<typeof TokenForm>, "takesFocus"> {
  session: SessionInfo;
  to: string;
  /** Why one is here: a launch link that was of no use, a sign-in that is over. */
  notice: ReactNode;
}

/** The sign-in with a token. Who is signed in may do so anew: with a token that lasts longer, or as somebody else. */
export function TokenSignIn({ session, to, notice, ...form }: Props) {
  if (!session.signedIn) {
    return (
      <EmptyState title="Sign in">
        {notice}
        <TokenTarget cluster={session.cluster} />
        {/* A notice is to be read first. */}
        <TokenForm {...form} takesFocus={notice === null} />
        <TokenHelp />
      </EmptyState>
    );
  }
  // A proxy's token counts for more than one that is given here.
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

/** Says of which cluster the token has to be: one that is given to another has been given away. */
function TokenTarget({ cluster }: { cluster: string | null }) {
  if (cluster === null) return null;
  return (
    <p className="[overflow-wrap:anywhere]">
      {cluster === "in-cluster" ? (
        "Sign in to the cluster that this crdshift runs in, with a token of it."
      ) : (
        <>
          Sign in to <span className="font-mono text-xs text-ink">{cluster}</span>, with a token of that cluster.
        </>
      )}
    </p>
  );
}

const commands = [
  {
    what: "Of a service account:",
    text: "kubectl create token SERVICE_ACCOUNT --namespace NAMESPACE --duration=8h",
    copyLabel: "Copy the command for a service account",
  },
  {
    what: "Your own, where your kubeconfig holds one:",
    text: "kubectl config view --raw --minify -o jsonpath='{.users[0].user.token}'",
    copyLabel: "Copy the command for your own",
  },
];

/** How one comes by a token, and what becomes of it here. */
function TokenHelp() {
  return (
    <section aria-label="How to get a token" className="flex w-full flex-col gap-2 pt-2">
      <h2 className="text-sm font-semibold text-ink">How to get a token</h2>
      <p>
        Any bearer token that the cluster takes will do. crdshift keeps it encrypted in a cookie of this browser, and acts with its rights
        alone.
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
  /** Whether nothing else on the page is to be read first. */
  takesFocus: boolean;
}

/** Takes a bearer token. The field has no name, so that no form without scripts puts it into an address. */
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
