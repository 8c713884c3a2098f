"use client";

import type { UseMutationOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { ChangeButton } from "#components/crd/change-button.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { Run } from "#lib/contract/run.ts";
import type { GuardedAction } from "#lib/domain/needed-rights.ts";
import { useChange } from "#lib/queries/use-change.ts";

interface Props {
  command: UseMutationOptions<Run, Error, void>;
  action?: GuardedAction | undefined;
  label: string;
  /** What it says from the press until the server has answered. */
  pressedLabel: string;
  /** The title over what the server says against it. */
  refusedTitle: string;
  title?: string;
  primary?: boolean;
  /** What can be done about a refusal, beside its words. */
  onRefusal?: (error: Error, close: () => void) => ReactNode;
  /** Pressed, by whomever, and not in force yet. */
  pressed?: boolean;
}

/** A command to a run; says so from the press until it is in force. */
export function CommandButton(props: Props) {
  const { command, action, label, pressedLabel, refusedTitle, title, onRefusal, primary = false, pressed = false } = props;
  const { mutate, isPending, error, reset } = useChange(command);
  const waits = pressed || isPending;
  return (
    <>
      <ChangeButton action={action} weight={primary ? "primary" : "quiet"} onClick={() => mutate()} disabled={waits} title={title}>
        {waits ? pressedLabel : label}
      </ChangeButton>
      <MessageDialog title={refusedTitle} open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
        {error ? onRefusal?.(error, reset) : null}
      </MessageDialog>
    </>
  );
}
