import { Notice } from "#components/ui/notice.tsx";
import type { SessionEnd, SessionInfo } from "#lib/contract/session.ts";
import { endWords, isRunPage } from "./end-words.ts";

/** Why one has to sign in again, above the way to do so. */
export function EndNotice({ ended, session, to }: { ended: SessionEnd; session: SessionInfo; to: string }) {
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
