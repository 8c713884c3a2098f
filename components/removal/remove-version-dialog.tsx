"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useRef, useState } from "react";
import { ChangeButton } from "#components/crd/change-button.tsx";
import { TypedConfirmation } from "#components/crd/typed-confirmation.tsx";
import { ChoiceField } from "#components/ui/choice-field.tsx";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/dialog-class.ts";
import { Notice } from "#components/ui/notice.tsx";
import { stayWhileBusy } from "#components/ui/stay-while-busy.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { removeVersion } from "#lib/queries/removal-mutations.ts";
import { useChange } from "#lib/queries/use-change.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: string;
  disabled: boolean;
}

/** The button that takes a version out of the spec, with the dialog that asks for its name first. */
export function RemoveVersionDialog({ cluster, crd, version, disabled }: Props) {
  // What is removed is decided on what was seen when the dialog opened.
  const [seen, setSeen] = useState<number | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const { mutate, isPending, error, reset } = useChange(removeVersion(cluster, crd.name, version));
  const [isAccepted, setAccepted] = useState(false);
  const named = error instanceof ApiError && error.details?.managedFields !== undefined ? error : null;
  const change = (open: boolean) => {
    setSeen(open ? crd.generation : null);
    setAccepted(false);
    reset();
  };
  const remove = () => {
    const removal = { confirm: version, ...(isAccepted && { acceptManagedFields: true as const }) };
    if (seen !== null) mutate({ ...removal, expectedGeneration: seen }, { onSuccess: () => setSeen(null) });
  };
  return (
    <AlertDialog.Root open={seen !== null} onOpenChange={stayWhileBusy(isPending, change)}>
      <AlertDialog.Trigger disabled={disabled} render={<ChangeButton action="change-spec" weight="primary" />}>
        Remove {version}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={dialogBackdropClass} />
        <AlertDialog.Popup initialFocus={input} className={dialogPopupClass}>
          <AlertDialog.Title className="text-base font-semibold [overflow-wrap:anywhere]">
            Remove <span className="font-mono">{version}</span> from spec.versions?
          </AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="flex flex-col gap-2 text-ink-soft">
            <p>
              The API server forgets {version} of {crd.plural}. No object is changed. Every watch on {crd.plural} is closed, at all
              versions; a proof is void.
            </p>
            <p>
              It can be put back as it was while the annotation that keeps it is there, which holds 64 KiB, compressed, of all versions that
              were removed; beyond that from its YAML.
            </p>
          </AlertDialog.Description>
          {named ? (
            <Notice tone="warning" role="alert" title={named.message}>
              <p>Leave this, and clean the entries of {version} first: the button is with the count of who wrote with it, in this step.</p>
            </Notice>
          ) : null}
          {named || isAccepted ? (
            <ChoiceField type="checkbox" label="Remove it all the same" checked={isAccepted} onChange={setAccepted}>
              Server-side apply to these objects fails until their entries are cleaned.
            </ChoiceField>
          ) : null}
          <TypedConfirmation
            isPending={isPending}
            error={named ? null : error}
            name={version}
            whose="the version's name"
            label={`Remove ${version}`}
            pendingLabel="Removing…"
            inputRef={input}
            onConfirm={remove}
          />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
