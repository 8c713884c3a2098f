"use client";

import type { UseMutationOptions } from "@tanstack/react-query";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { MessageDialog } from "#components/ui/message-dialog.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { ChangeButton } from "./change-button.tsx";

interface Props<Variables> {
  mutation: UseMutationOptions<CrdDetail, Error, Variables>;
  variables: Variables;
  action: GuardedAction;
  label: string;
  pendingLabel: string;
  /** The title of the error dialog. */
  failure: string;
  weight?: "primary" | "quiet";
  disabled?: boolean;
  describedBy?: string | undefined;
  hint?: string;
}

/** A button for a reversible action: acts without confirmation and shows errors in a dialog. */
export function OneClickButton<Variables>(props: Props<Variables>) {
  const { mutation, variables, action, label, pendingLabel, failure, weight = "quiet", disabled = false, describedBy, hint } = props;
  const { mutate, isPending, error, reset } = useChange(mutation);
  return (
    <>
      <ChangeButton
        action={action}
        onClick={() => mutate(variables)}
        weight={weight}
        disabled={disabled || isPending}
        aria-describedby={describedBy}
        title={hint}
      >
        {isPending ? pendingLabel : label}
      </ChangeButton>
      <MessageDialog title={failure} open={error !== null} onClose={reset}>
        {error ? <ApiErrorNotice error={error} /> : null}
      </MessageDialog>
    </>
  );
}
