import { Notice } from "#components/ui/notice.tsx";
import type { SessionEnd, SessionInfo } from "#lib/contract/session.ts";
import { endWords, isRunPage } from "./end-words.ts";

/** Why one has to sign in again, above the way to do so. */
export function EndNotice({ ended, mode, to }: { ended: SessionEnd; mode: SessionInfo["mode"]; to: string }) {
  const { title, text } = endWords(ended, { mode, showedRun: isRunPage(to) });
  return (
    <div className="w-full">
      <Notice tone="neutral" role="status" title={title}>
        <p>{text}</p>
      </Notice>
    </div>
  );
}
