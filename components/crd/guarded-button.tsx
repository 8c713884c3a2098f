"use client";

import { type ComponentProps, useId } from "react";
import { Button } from "#components/ui/button.tsx";
import type { GuardedAction } from "#lib/domain/needed-rights.ts";
import { useMissingRights } from "#lib/queries/use-missing-rights.ts";
import { MissingRights } from "./missing-rights.tsx";

interface Props extends ComponentProps<typeof Button> {
  cluster: string;
  crd: string;
  /** What it comes to, by the rights that it takes. */
  action: GuardedAction;
}

/** A button that is off where rights are missing for what it does, with the way to the reason beside it. */
export function GuardedButton({ cluster, crd, action, id, disabled, ...props }: Props) {
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
