import type { SessionInfo } from "#lib/contract/session.ts";

/** Who one is here, in a few words. */
export function accountName({ mode, signedIn, user }: Pick<SessionInfo, "mode" | "signedIn" | "user">): string {
  if (!signedIn) return "Not signed in";
  switch (mode) {
    case "token":
      return user ?? "Signed in with a token";
    case "local":
      return "Local session";
    case "unsafe-shared-readonly":
      return "Shared account, read only";
    default:
      return mode satisfies never;
  }
}
