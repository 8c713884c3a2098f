"use client";

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { dialogBackdropClass, dialogPopupClass } from "#components/ui/dialog-class.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { pruneStoredVersions } from "#lib/queries/stored-versions-mutations.ts";
import { pruneLabel } from "./prune-label.ts";
import { PrunePlan } from "./prune-plan.tsx";

/** The button that prunes, while there is something to prune, with the dialog that asks for the definition's name first. */
export function PruneDialog(props: { cluster: string; crd: CrdDetail; primary: boolean; describedBy: string | undefined }) {
  const { cluster, crd, primary, describedBy } = props;
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const inputId = useId();
  const { mutate, isPending, error, reset } = useMutation(pruneStoredVersions(cluster, crd.name));
  // The versions leave the definition while the dialog is closing; it goes on naming what it pruned.
  const [leftovers, setLeftovers] = useState(crd.leftoverVersions);
  const label = pruneLabel(open ? leftovers : crd.leftoverVersions);

  const change = (next: boolean) => {
    setOpen(next);
    if (!next) return;
    setLeftovers(crd.leftoverVersions);
    setTyped("");
    reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed === crd.name) mutate(typed, { onSuccess: () => setOpen(false) });
  };

  // With the last leftover the button goes too, and focus would be lost.
  const keepFocus = (isOpen: boolean) => {
    if (!isOpen && crd.leftoverVersions.length === 0) document.getElementById("main")?.focus();
  };

  return (
    <AlertDialog.Root open={open} onOpenChange={change} onOpenChangeComplete={keepFocus}>
      {crd.leftoverVersions.length > 0 ? (
        <AlertDialog.Trigger
          disabled={crd.actions.prune.refusal !== null}
          aria-describedby={describedBy}
          className={buttonClass(primary ? "primary" : "quiet")}
        >
          {label}
        </AlertDialog.Trigger>
      ) : null}
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={dialogBackdropClass} />
        <AlertDialog.Popup initialFocus={input} className={dialogPopupClass}>
          <AlertDialog.Title className="text-base font-semibold">{label}?</AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="text-ink-soft">
            <PrunePlan crd={crd} leftovers={leftovers} />
          </AlertDialog.Description>
          <form onSubmit={submit} className="flex flex-col gap-4">
            <div className="flex flex-col gap-1.5">
              <div className="flex flex-wrap items-center gap-x-2">
                <label htmlFor={inputId} className="font-medium">
                  Type the definition's name to confirm
                </label>
                <CopyButton text={crd.name} label="Copy the definition's name" />
              </div>
              <p className="font-mono text-xs text-ink-soft [overflow-wrap:anywhere] select-all">{crd.name}</p>
              <input
                ref={input}
                id={inputId}
                value={typed}
                onChange={(event) => setTyped(event.target.value.trim())}
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                className="h-9 w-full rounded border border-line-strong bg-page px-2.5 font-mono text-sm"
              />
            </div>
            {error ? <ApiErrorNotice error={error} /> : null}
            <div className="flex justify-end gap-2">
              <AlertDialog.Close className={buttonClass("quiet")}>Keep it</AlertDialog.Close>
              <Button type="submit" weight="danger" disabled={typed !== crd.name || isPending}>
                {isPending ? "Pruning…" : label}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
