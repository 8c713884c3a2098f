"use client";

import type { UseMutationOptions } from "@tanstack/react-query";
import { type ComponentProps, useId } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { useDefinitionScope } from "#components/crd/breadcrumbs.tsx";
import { Button } from "#components/ui/form/button.tsx";
import { MessageDialog } from "#components/ui/overlay/dialog.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { useMissingRights } from "#lib/queries/definition/rights-query.ts";
import { useReadOnly } from "#lib/queries/session/session-query.ts";
import { useChange } from "#lib/queries/session/use-change.ts";
import { MissingRights } from "./missing-rights.tsx";

const READ_ONLY = "crdshift is running in read-only mode.";

interface Props extends ComponentProps<typeof Button> {
  /** The action to check permissions for, if it needs any that the cluster can be asked about. */
  action?: GuardedAction | undefined;
}

/** A button that changes something, or opens a dialog that does. In read-only mode or without the permissions it is disabled, with the reason. */
export function ChangeButton({ action, ...props }: Props) {
  const isReadOnly = useReadOnly();
  const scope = useDefinitionScope();
  if (isReadOnly) return <Button {...props} disabled title={READ_ONLY} aria-describedby={undefined} />;
  return action && scope ? <GuardedButton {...props} {...scope} action={action} /> : <Button {...props} />;
}

interface GuardedButtonProps extends ComponentProps<typeof Button> {
  cluster: string;
  crd: string;
  /** The action to check permissions for. */
  action: GuardedAction;
}

/** A button that is disabled while permissions are missing, with "Why not?" beside it. */
function GuardedButton({ cluster, crd, action, id, disabled, ...props }: GuardedButtonProps) {
  const missing = useMissingRights(cluster, crd, action);
  const ownId = useId();
  const buttonId = id ?? ownId;
  return (
    <span className="inline-flex flex-wrap items-center gap-x-1.5">
      <Button {...props} id={buttonId} disabled={disabled || missing.length > 0} />
      {missing.length > 0 ? <MissingRights cluster={cluster} crd={crd} rights={missing} buttonId={buttonId} /> : null}
    </span>
  );
}

interface OneClickButtonProps<Variables> {
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
export function OneClickButton<Variables>(props: OneClickButtonProps<Variables>) {
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
