import type { ComponentProps, ReactNode } from "react";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { SignedIn } from "./signed-in.tsx";
import { TokenForm } from "./token-form.tsx";
import { TokenHelp } from "./token-help.tsx";
import { TokenTarget } from "./token-target.tsx";

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
