"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useEffect } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { RejectionList } from "#components/crd/rejection-list.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { formatCountOf } from "#components/ui/format-count.ts";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { useCleaning } from "#lib/queries/use-cleaning.ts";
import { CleanExamples } from "./clean-examples.tsx";
import { cleaningText } from "./cleaning-text.ts";

/** First what would change, then, when asked for, the change; each with its progress and its outcome. */
export function CleanSteps({ cluster, crd, version }: { cluster: string; crd: string; version: string }) {
  const { step, run, stop } = useCleaning(cluster, crd, version);
  useEffect(() => {
    void run(true);
  }, [run]);
  if (!step) return null;
  const { cleaning, dryRun, at, error } = step;
  const found = cleaning?.cleaned ?? 0;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-2">
        <p role="status">{cleaningText(step)}</p>
        <ProgressBar label="Objects looked at" done={cleaning?.scanned ?? 0} total={cleaning?.total ?? null} idle={at !== "work"} />
      </div>
      {error ? <ApiErrorNotice error={error} /> : null}
      {cleaning && cleaning.examples.length > 0 ? <CleanExamples cluster={cluster} crd={crd} examples={cleaning.examples} /> : null}
      {cleaning && cleaning.rejections.length > 0 ? (
        <RejectionList cluster={cluster} crd={crd} label="Rejections" rejections={cleaning.rejections} />
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        {at === "work" ? <Button onClick={stop}>{dryRun ? "Stop looking" : "Stop"}</Button> : null}
        {at === "stopped" && dryRun ? <Button onClick={() => run(true)}>Look again</Button> : null}
        {at === "work" && !dryRun ? null : <Dialog.Close className={buttonClass("quiet")}>Close</Dialog.Close>}
        {dryRun && at === "end" && found > 0 ? (
          <Button weight="primary" onClick={() => run(false)}>
            Carry over {formatCountOf(found, "object")}
          </Button>
        ) : null}
        {!dryRun && at === "stopped" ? (
          <Button weight="primary" onClick={() => run(false)}>
            Go on
          </Button>
        ) : null}
      </div>
    </div>
  );
}
