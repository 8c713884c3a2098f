"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useState } from "react";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { DialogFrame, stayWhileBusy } from "#components/ui/dialog.tsx";
import type { CrdDetail, CrdVersion } from "#lib/contract/definition/crd.ts";
import { changeVersion } from "#lib/queries/definition/definition-mutations.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { ChangeVersionForm } from "./change-version-form.tsx";
import type { VersionFlags } from "./version-flags.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  version: CrdVersion;
  /** The one change to offer; all flags if omitted. */
  intent?: VersionIntent;
  primary?: boolean;
  disabled?: boolean;
}

/** The button that opens a dialog to change a version's flags, with a preview of what the change causes. */
export function ChangeVersionButton({ cluster, crd, version, intent, primary = false, disabled = false }: Props) {
  const [open, setOpen] = useState(false);
  const words = intent && intentWords(intent, version.name);
  const label = words?.label ?? `Change ${version.name}`;
  const send = useChange(changeVersion(cluster, crd.name, version.name, label));
  const openOrClose = (next: boolean) => {
    setOpen(next);
    if (next) send.reset();
  };
  return (
    <Dialog.Root open={open} onOpenChange={stayWhileBusy(send.isPending, openOrClose)}>
      <Dialog.Trigger
        disabled={disabled}
        render={<ChangeButton action="change-spec" weight={primary ? "primary" : "quiet"} />}
        aria-label={words ? undefined : label}
      >
        {words ? label : "Change"}
      </Dialog.Trigger>
      <DialogFrame title={words ? `${label}?` : `${label} of ${crd.plural}`}>
        <ChangeVersionForm
          {...{ cluster, crd, version, send }}
          intended={words?.flags ?? null}
          submitLabel={words?.submit ?? label}
          pendingLabel={words?.pending ?? "Changing…"}
          onDone={() => setOpen(false)}
        />
      </DialogFrame>
    </Dialog.Root>
  );
}

/** The one change that a dialog is about; without one, it offers all flags. */
type VersionIntent = "stop-serving" | "make-storage" | "deprecate" | "undeprecate";

interface IntentWords {
  /** The button, and the dialog's title with a question mark. */
  label: string;
  submit: string;
  pending: string;
  flags: Partial<VersionFlags>;
}

/** The words of a change, with the same verb on the button, in the title and on the submit button, and the flags that it sets. */
export function intentWords(intent: VersionIntent, version: string): IntentWords {
  switch (intent) {
    case "stop-serving":
      return { label: `Stop serving ${version}`, submit: "Stop serving", pending: "Stopping…", flags: { served: false } };
    case "make-storage":
      return {
        label: `Make ${version} the storage version`,
        ...{ submit: "Make storage version", pending: "Making…", flags: { storage: true } },
      };
    case "deprecate":
      return { label: `Deprecate ${version}`, submit: "Deprecate", pending: "Deprecating…", flags: { deprecated: true } };
    case "undeprecate":
      return { label: `Undeprecate ${version}`, submit: "Undeprecate", pending: "Undeprecating…", flags: { deprecated: false } };
    default:
      return intent satisfies never;
  }
}
