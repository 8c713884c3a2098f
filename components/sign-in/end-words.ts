import type { SessionEnd, SessionInfo } from "#lib/contract/session.ts";

interface EndWords {
  title: string;
  /** What it means, and what to do. */
  text: string;
}

interface Left {
  mode: SessionInfo["mode"];
  /** Whether it is a proxy that sends the token. */
  byProxy: boolean;
  /** Whether the page that they left showed a run. */
  showedRun: boolean;
}

/** Why somebody has to sign in again, in words; with what becomes of a run where the page that they left showed one. */
export function endWords(ended: SessionEnd, { mode, byProxy, showedRun }: Left): EndWords {
  const isToken = mode === "token";
  const withToken = byProxy ? "Sign in anew at the proxy in front of crdshift." : "Sign in with a new token.";
  const again = isToken ? withToken : "Open the newest link that crdshift printed.";
  const withRun = (text: string, ofRun: string) => (showedRun ? `${text} ${ofRun}` : text);
  const interrupted = "A rewrite that you started is interrupted once its token is over; resume it after signing in.";
  const goesOn = isToken ? "A rewrite that you started goes on until its token ends." : "A rewrite that you started goes on.";
  switch (ended) {
    case "token-refused":
      return { title: "The cluster does not take your token any more.", text: withRun(`It expired or was revoked. ${again}`, interrupted) };
    case "token-over":
      return { title: "Your token has ended, and the sign-in with it.", text: withRun(again, interrupted) };
    case "time-over":
      return { title: "Your sign-in has ended: none lasts for more than eight hours.", text: withRun(again, goesOn) };
    case "signed-out":
      return { title: "You signed out in another tab, or elsewhere.", text: withRun(again, goesOn) };
    case "other-key": {
      const title = "crdshift was started anew since you signed in.";
      const text = `It lacks the key of that sign-in. ${again}`;
      return { title, text: withRun(text, "A rewrite that was at work shows as interrupted; resume it after signing in.") };
    }
    default:
      return ended satisfies never;
  }
}

/** Whether a path is the page of a run. */
export function isRunPage(path: string): boolean {
  return /^\/clusters\/[^/?#]+\/crds\/[^/?#]+\/rewrites\/[^/?#]/.test(path);
}
