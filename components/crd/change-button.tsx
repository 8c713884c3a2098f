"use client";

import type { ComponentProps } from "react";
import { Button } from "#components/ui/button.tsx";
import type { GuardedAction } from "#lib/domain/needed-rights.ts";
import { useReadOnly } from "#lib/queries/use-session.ts";
import { useDefinitionScope } from "./definition-scope.tsx";
import { GuardedButton } from "./guarded-button.tsx";

const READ_ONLY = "crdshift was started read only.";

interface Props extends ComponentProps<typeof Button> {
  /** What it comes to, where that takes rights which the cluster can be asked about. */
  action?: GuardedAction | undefined;
}

/** A button that changes something, or opens what does: off, with the reason, where crdshift was started read only or rights are missing. */
export function ChangeButton({ action, ...props }: Props) {
  const isReadOnly = useReadOnly();
  const scope = useDefinitionScope();
  if (isReadOnly) return <Button {...props} disabled title={READ_ONLY} aria-describedby={undefined} />;
  return action && scope ? <GuardedButton {...props} {...scope} action={action} /> : <Button {...props} />;
}
