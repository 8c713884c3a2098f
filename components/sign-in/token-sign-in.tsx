import type { ComponentProps, ReactNode } from "react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { SignedIn } from "./signed-in.tsx";
import { TokenForm } from "./token-form.tsx";
import { TokenHelp } from "./token-help.tsx";

interface Props extends ComponentProps<typeof TokenForm> {
  session: SessionInfo;
  to: string;
  /** Why a launch link was of no use. */
  failure: ReactNode;
}

/** The sign-in with a token. Who is signed in may do so anew: the cluster may refuse a token that crdshift still keeps. */
export function TokenSignIn({ session, to, failure, ...form }: Props) {
  if (!session.signedIn) {
    return (
      <EmptyState title="Sign in">
        {failure}
        <TokenForm {...form} />
        <TokenHelp />
      </EmptyState>
    );
  }
  // A proxy's token counts for more than one that is given here.
  if (session.until === null) return <SignedIn session={session} to={to} />;
  return (
    <SignedIn session={session} to={to}>
      <h2 className="pt-4 text-sm font-semibold text-ink">Sign in with another token</h2>
      <TokenForm {...form} />
      <TokenHelp />
    </SignedIn>
  );
}
