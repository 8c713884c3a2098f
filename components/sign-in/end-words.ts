import type { SessionEnd, SessionInfo } from "#lib/contract/session.ts";

interface EndWords {
  title: string;
  /** What it means and what to do. */
  text: string;
}

interface Left {
  mode: SessionInfo["mode"];
  /** Whether a proxy sends the token. */
  byProxy: boolean;
  /** Whether the previous page showed a run. */
  showedRun: boolean;
}

/** Why the user has to sign in again, and what happens to the run if the previous page showed one. */
export function endWords(ended: SessionEnd, { mode, byProxy, showedRun }: Left): EndWords {
  const isToken = mode === "token";
  const withToken = byProxy ? "Sign in again at the proxy in front of crdshift." : "Sign in with a new token.";
  const again = isToken ? withToken : "Open the newest link that crdshift printed.";
  const withRun = (text: string, ofRun: string) => (showedRun ? `${text} ${ofRun}` : text);
  const interrupted = "A rewrite that you started is interrupted when its token expires; resume it after you sign in.";
  const goesOn = isToken ? "A rewrite that you started continues until its token expires." : "A rewrite that you started continues.";
  switch (ended) {
    case "token-refused":
      return { title: "The cluster no longer accepts your token.", text: withRun(`It expired or was revoked. ${again}`, interrupted) };
    case "token-over":
      return { title: "Your token has expired, so your session ended.", text: withRun(again, interrupted) };
    case "time-over":
      return { title: "Your session ended: the limit is eight hours.", text: withRun(again, goesOn) };
    case "signed-out":
      return { title: "You signed out in another tab or browser.", text: withRun(again, goesOn) };
    case "other-key": {
      const title = "crdshift has restarted since you signed in.";
      const text = `It no longer has the key to your session. ${again}`;
      return { title, text: withRun(text, "A rewrite that was running shows as interrupted; resume it after you sign in.") };
    }
    case "other-cluster": {
      const title = "crdshift shows another cluster now.";
      const text = `Your session belongs to the cluster that it showed before. ${again}`;
      return { title, text: withRun(text, "A rewrite that was running there is interrupted.") };
    }
    default:
      return ended satisfies never;
  }
}

/** Whether a path is a run's page. */
export function isRunPage(path: string): boolean {
  return /^\/clusters\/[^/?#]+\/crds\/[^/?#]+\/rewrites\/[^/?#]/.test(path);
}
