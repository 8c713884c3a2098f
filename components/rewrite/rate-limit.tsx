"use client";

import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { ChangeButton } from "#components/crd/change-button.tsx";
import { MOST_PER_SECOND } from "#components/start-rewrite/rewrite-options.ts";
import { fieldClass } from "#components/ui/field-class.ts";
import { formatCount } from "#components/ui/format-count.ts";
import { parseWholeNumber } from "#components/ui/whole-number.ts";
import type { Run } from "#lib/contract/run.ts";
import { changeRewrite } from "#lib/queries/rewrite-mutations.ts";
import { useControlAction } from "./use-control-action.ts";

/** The most objects a second: what is in force, and the field that changes it while the run is at work. */
export function RateLimit({ cluster, run }: { cluster: string; run: Run }) {
  const id = useId();
  const action = useControlAction(run);
  // Null: nothing was typed, and the field shows what is in force.
  const [typed, setTyped] = useState<string | null>(null);
  const { mutate, isPending, error } = useMutation(changeRewrite(cluster, run.crd, run.id));
  const inForce = run.maxPerSecond === null ? "" : String(run.maxPerSecond);
  const limit = parseWholeNumber(typed ?? inForce, MOST_PER_SECOND);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (limit !== undefined) mutate({ maxPerSecond: limit }, { onSuccess: () => setTyped(null) });
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-wrap items-center gap-2 text-sm">
        <label htmlFor={id} className="text-ink-soft">
          At most
        </label>
        <input
          id={id}
          inputMode="numeric"
          autoComplete="off"
          placeholder="no limit"
          value={typed ?? inForce}
          aria-invalid={limit === undefined}
          aria-describedby={`${id}-in-force`}
          onChange={(event) => setTyped(event.target.value)}
          className={`${fieldClass} w-24 text-right`}
        />
        <span className="text-ink-soft">objects a second</span>
        <ChangeButton type="submit" action={action} disabled={limit === undefined || limit === run.maxPerSecond || isPending}>
          {isPending ? "Applying…" : "Apply"}
        </ChangeButton>
        <span id={`${id}-in-force`} className="text-ink-soft">
          {limit === undefined
            ? `A whole number from 1 to ${formatCount(MOST_PER_SECOND)}, or nothing for no limit.`
            : run.maxPerSecond === null
              ? "No limit in force"
              : `${formatCount(run.maxPerSecond)}/s in force`}
        </span>
      </form>
      {error ? <ApiErrorNotice error={error} /> : null}
    </>
  );
}
