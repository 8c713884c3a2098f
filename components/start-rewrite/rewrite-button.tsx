"use client";

import { Dialog } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { DialogFrame, stayWhileBusy } from "#components/ui/dialog.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { startRewrite } from "#lib/queries/rewrite/rewrite-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { RewriteForm } from "./rewrite-form.tsx";
import type { RewriteOptions } from "./rewrite-options.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  label?: string;
  /** The verb of the dialog: a retry is a rewrite of what was rejected. */
  verb?: "Rewrite" | "Retry";
  primary?: boolean;
  describedBy?: string | undefined;
  /** The options selected when the dialog opens. */
  chosen?: Partial<RewriteOptions>;
  /** What this rewrite does; the general description if omitted. */
  children?: ReactNode;
}

/** The button that opens the start dialog of a rewrite. */
export function RewriteButton(props: Props) {
  const { cluster, crd, verb = "Rewrite", label = verb, primary = false, describedBy, chosen = {}, children } = props;
  const [open, setOpen] = useState(false);
  const start = useChange(startRewrite(cluster, crd.name, verb));
  const change = (next: boolean) => {
    setOpen(next);
    if (next) start.reset();
  };
  return (
    <Dialog.Root open={open} onOpenChange={stayWhileBusy(start.isPending, change)}>
      <Dialog.Trigger
        disabled={crd.actions.rewrite.refusal !== null}
        aria-describedby={describedBy}
        render={<ChangeButton action="rewrite" weight={primary ? "primary" : "quiet"} />}
      >
        {label}
      </Dialog.Trigger>
      <DialogFrame
        title={
          verb === "Retry" ? (
            label
          ) : (
            <>
              Rewrite {crd.plural} to <span className="font-mono">{crd.storageVersion}</span>
            </>
          )
        }
      >
        <Dialog.Description render={<div />} className="text-ink-soft">
          {children ?? (
            <p>
              Each object gets a patch that changes nothing, so the API server stores it as {crd.storageVersion}. Watchers get one event for
              each object that is rewritten.
            </p>
          )}
        </Dialog.Description>
        <RewriteForm cluster={cluster} crd={crd} verb={verb} chosen={chosen} start={start} onStarted={() => setOpen(false)} />
      </DialogFrame>
    </Dialog.Root>
  );
}
