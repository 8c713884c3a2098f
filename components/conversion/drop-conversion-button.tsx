"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useState } from "react";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { DialogFrame, stayWhileBusy } from "#components/ui/dialog.tsx";
import { Button, buttonClass } from "#components/ui/form.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { dropConversion } from "#lib/queries/definition/definition-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  primary?: boolean;
  disabled: boolean;
}

/** The button that drops the conversion webhook, after a confirmation. */
export function DropConversionButton({ cluster, crd, primary = false, disabled }: Props) {
  // The confirmation applies to the definition as it was when the dialog opened.
  const [seen, setSeen] = useState<number | null>(null);
  const { mutate, isPending, error, reset } = useChange(dropConversion(cluster, crd.name));
  const change = (open: boolean) => {
    setSeen(open ? crd.generation : null);
    reset();
  };
  return (
    <AlertDialog.Root open={seen !== null} onOpenChange={stayWhileBusy(isPending, change)}>
      <AlertDialog.Trigger disabled={disabled} render={<ChangeButton action="change-spec" weight={primary ? "primary" : "quiet"} />}>
        Drop the webhook
      </AlertDialog.Trigger>
      <DialogFrame title="Drop the conversion webhook?">
        <AlertDialog.Description render={<div />} className="flex flex-col gap-2 text-ink-soft [overflow-wrap:anywhere]">
          <p>
            The API server no longer calls {crd.conversionTarget} for {crd.plural}. No object changes. Every watch on {crd.plural} is
            closed, and the proof becomes void.
          </p>
          <p>An annotation keeps its configuration, including the CA bundle, so you can choose “Put the webhook back” later.</p>
        </AlertDialog.Description>
        {error ? <ApiErrorNotice error={error} /> : null}
        <div className="flex justify-end gap-2">
          <AlertDialog.Close className={buttonClass("quiet")}>Cancel</AlertDialog.Close>
          <Button weight="danger" disabled={isPending} onClick={() => seen !== null && mutate(seen, { onSuccess: () => setSeen(null) })}>
            {isPending ? "Dropping…" : "Drop the webhook"}
          </Button>
        </div>
      </DialogFrame>
    </AlertDialog.Root>
  );
}
