"use client";

import type { ComponentProps } from "react";
import { useId } from "react";
import { useDefinitionScope } from "#components/crd/breadcrumbs.tsx";
import { Button } from "#components/ui/button.tsx";
import type { GuardedAction } from "#lib/domain/rewrite/needed-rights.ts";
import { useMissingRights } from "#lib/queries/definition/rights-query.ts";
import { useReadOnly } from "#lib/queries/session/session-query.ts";
import { MissingRights } from "./missing-rights.tsx";

const READ_ONLY = "crdshift is running in read-only mode.";

interface Props extends ComponentProps<typeof Button> {
  /** The action to check rights for, if it needs any that the cluster can be asked about. */
  action?: GuardedAction | undefined;
}

/** A button that changes something, or opens a dialog that does. In read-only mode or without the rights it is disabled, with the reason. */
export function ChangeButton({ action, ...props }: Props) {
  const isReadOnly = useReadOnly();
  const scope = useDefinitionScope();
  if (isReadOnly) return <Button {...props} disabled title={READ_ONLY} aria-describedby={undefined} />;
  return action && scope ? <GuardedButton {...props} {...scope} action={action} /> : <Button {...props} />;
}

interface GuardedButtonProps extends ComponentProps<typeof Button> {
  cluster: string;
  crd: string;
  /** The action to check rights for. */
  action: GuardedAction;
}

/** A button that is disabled while rights are missing, with "Why not?" beside it. */
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
