"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useRouter } from "next/navigation";
import { type FormEvent, useId, useState } from "react";
import { rewriteHref } from "#components/shell/hrefs.ts";
import { Button, buttonClass } from "#components/ui/button.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { StartRewrite } from "#lib/contract/run.ts";
import type { Change } from "#lib/queries/use-change.ts";
import { DryRunFindings } from "./dry-run-findings.tsx";
import { EngineChoice } from "./engine-choice.tsx";
import { HeldBackLosses } from "./held-back-losses.tsx";
import { OptionFields } from "./option-fields.tsx";
import { refusedLosses, refusedPreflight } from "./refused-losses.ts";
import { noOptions, offeredOptions, type RewriteOptions, startBody, withheldBecause } from "./rewrite-options.ts";
import { StartRefusal } from "./start-refusal.tsx";

interface Props {
  cluster: string;
  crd: CrdDetail;
  chosen: Partial<RewriteOptions>;
  start: Change<{ id: string }, StartRewrite>;
  onStarted: () => void;
}

/** What is known of a rewrite, what can be chosen, and its start. */
export function RewriteForm({ cluster, crd, chosen, start, onStarted }: Props) {
  const router = useRouter();
  const withheldId = useId();
  const [all, setOptions] = useState<RewriteOptions>({ ...noOptions, ...chosen });
  const options = offeredOptions(all);
  const { mutateAsync, isPending, isSuccess, error } = start;
  const preflight = crd.preflight?.invalidBecause === null ? crd.preflight : null;
  const refused = refusedLosses(error);
  const losses = refused ?? preflight?.losses ?? [];
  const untold = refused === null && preflight !== null && !preflight.lossesKnown;
  const withheld = withheldBecause(losses, !untold, options);
  const change = (next: Partial<RewriteOptions>) => setOptions((old) => ({ ...old, ...next }));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (withheld) return;
    // Not the callback of mutate(): the run's first event may take the dialog off the page, and the callback with it.
    mutateAsync(startBody(options, refused ? refusedPreflight(error) : (preflight?.id ?? null))).then(
      ({ id }) => {
        onStarted();
        router.push(rewriteHref(cluster, crd.name, id));
      },
      () => {},
    );
  };

  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {refused ? null : <DryRunFindings cluster={cluster} crd={crd} />}
      {error ? <StartRefusal cluster={cluster} crd={crd} error={error} /> : null}
      <HeldBackLosses
        losses={losses}
        more={refused ? 0 : (preflight?.moreLosses ?? 0)}
        unseen={untold || (!refused && !preflight && Boolean(crd.run?.heldBackBecause))}
        known={refused !== null || (preflight?.lossesKnown ?? false)}
        options={options}
        onChange={change}
      />
      <EngineChoice cluster={cluster} engine={options.engine} onChange={(engine) => change({ engine })} />
      <OptionFields crd={crd} options={options} onChange={change} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p id={withheldId} role="status" className="text-sm text-ink-soft max-sm:basis-full sm:flex-1">
          {withheld}
        </p>
        <Dialog.Close className={buttonClass("quiet")}>Close</Dialog.Close>
        <Button type="submit" weight="primary" disabled={withheld !== null || isPending || isSuccess} aria-describedby={withheldId}>
          {isPending || isSuccess ? "Starting…" : "Rewrite"}
        </Button>
      </div>
    </form>
  );
}
