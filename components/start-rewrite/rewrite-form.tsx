"use client";

import { Dialog } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { type FormEvent, useId, useState } from "react";
import { undelegatedWords } from "#components/engines/engine-words.ts";
import { enginesHref, rewriteHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { paceWords } from "#components/shared/pace-words.ts";
import { Button, buttonClass, ChoiceField, fieldClass, parseWholeNumber } from "#components/ui/form.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { runSchema, type StartRewrite } from "#lib/contract/rewrite/run.ts";
import { DELEGATE, delegates } from "#lib/domain/rewrite/engines.ts";
import { type Pace, paces } from "#lib/domain/rewrite/pace.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import { migrationsQuery } from "#lib/queries/rewrite/rewrite-queries.ts";
import type { Change } from "#lib/queries/session/use-change.ts";
import { DryRunFindings } from "./dry-run-findings.tsx";
import { HeldBackLosses } from "./held-back-losses.tsx";
import { MOST_PER_SECOND, noOptions, offeredOptions, type RewriteOptions, startBody, withheldBecause } from "./rewrite-options.ts";
import { refusedLosses, shownLosses } from "./shown-losses.ts";

interface Props {
  cluster: string;
  crd: CrdDetail;
  verb: "Rewrite" | "Retry";
  chosen: Partial<RewriteOptions>;
  start: Change<{ id: string }, StartRewrite>;
  onStarted: () => void;
}

/** The start form of a rewrite: dry-run findings, losses and options. */
export function RewriteForm({ cluster, crd, verb, chosen, start, onStarted }: Props) {
  const router = useRouter();
  const withheldId = useId();
  const [all, setOptions] = useState<RewriteOptions>({ ...noOptions, ...chosen });
  const { mutateAsync, isPending, isSuccess, error } = start;
  const refused = refusedLosses(error);
  const shown = shownLosses(crd, refused);
  // What was accepted of one dry run is not what another one found.
  const [acceptedOf, setAcceptedOf] = useState<string | null>(null);
  const current = acceptedOf === shown.dryRun ? all : { ...all, acceptLosses: false, acceptUnseen: false };
  const options = offeredOptions(current);
  const withheld = withheldBecause(shown, options);
  const change = (next: Partial<RewriteOptions>) => {
    setOptions({ ...current, ...next });
    setAcceptedOf(shown.dryRun);
  };

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (withheld) return;
    // Not mutate()'s callback: the run's first event may unmount the dialog, and the callback would not run.
    mutateAsync(startBody(options, shown.dryRun)).then(
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
      <HeldBackLosses shown={shown} options={options} onChange={change} />
      <EngineChoice cluster={cluster} crd={crd} options={options} onChange={(engine) => change({ engine })} />
      <OptionFields crd={crd} options={options} onChange={change} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <p id={withheldId} role="status" className="text-sm text-ink-soft max-sm:basis-full sm:flex-1">
          {withheld}
        </p>
        <Dialog.Close className={buttonClass("quiet")}>Cancel</Dialog.Close>
        <Button type="submit" weight="primary" disabled={withheld !== null || isPending || isSuccess} aria-describedby={withheldId}>
          {isPending || isSuccess ? "Starting…" : verb}
        </Button>
      </div>
    </form>
  );
}

/** Why the rewrite did not start, with a link to the run that blocks it, if any. */
function StartRefusal({ cluster, crd, error }: { cluster: string; crd: CrdDetail; error: Error }) {
  const run = runInTheWay(error);
  return (
    <ApiErrorNotice error={error}>
      {run ? (
        <Link className="text-ink underline underline-offset-2" href={rewriteHref(cluster, crd.name, run)} prefetch={false}>
          Go to the other rewrite
        </Link>
      ) : null}
    </ApiErrorNotice>
  );
}

function runInTheWay(error: Error): string | null {
  const run = error instanceof ApiError ? runSchema.safeParse(error.details?.run) : null;
  return run?.success ? run.data.id : null;
}

interface EngineChoiceProps {
  cluster: string;
  crd: CrdDetail;
  options: RewriteOptions;
  onChange: (engine: RewriteOptions["engine"]) => void;
}

/** The engine that patches the objects; crdshift verifies either way. */
function EngineChoice({ cluster, crd, options, onChange }: EngineChoiceProps) {
  const name = useId();
  const { data, error } = useQuery(migrationsQuery(cluster));
  const withheld = data ? undelegatedWords(data.apis[DELEGATE], crd, options) : (error?.message ?? "Checking whether the cluster has one…");
  return (
    <fieldset className="flex flex-col gap-2">
      {/* The fieldset's gap does not apply to a legend. */}
      <legend className="pb-2 text-sm font-semibold">
        Engine<span className="font-normal text-ink-soft">: who rewrites the objects</span>
      </legend>
      <ChoiceField type="radio" name={name} label="crdshift" checked={options.engine === "crdshift"} onChange={() => onChange("crdshift")}>
        Continues past rejected objects. You can pause, limit and cancel it.
      </ChoiceField>
      <ChoiceField
        type="radio"
        name={name}
        label="The cluster's own (StorageVersionMigration)"
        checked={delegates(options.engine)}
        disabled={withheld !== null}
        onChange={() => onChange(DELEGATE)}
      >
        {withheld ??
          "The control plane patches the objects and fails at the first rejection. You can't pause, limit or stop it. crdshift checks every object afterwards."}
      </ChoiceField>
      <Link href={enginesHref(cluster)} prefetch={false} className="self-start text-xs text-ink-soft underline underline-offset-2">
        Compare engines
      </Link>
    </fieldset>
  );
}

/** How much of the API server the rewrite takes. */
function PaceChoice({ pace: chosen, onChange }: { pace: Pace; onChange: (pace: Pace) => void }) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-2 text-sm font-semibold">
        Pace<span className="font-normal text-ink-soft">: how much of the API server it takes</span>
      </legend>
      {paces.map((pace) => (
        <ChoiceField
          key={pace}
          type="radio"
          name={name}
          label={paceWords[pace].name}
          checked={pace === chosen}
          onChange={() => onChange(pace)}
        >
          {paceWords[pace].meaning}
        </ChoiceField>
      ))}
    </fieldset>
  );
}

interface OptionFieldsProps {
  crd: CrdDetail;
  options: RewriteOptions;
  onChange: (change: Partial<RewriteOptions>) => void;
}

/** The options of the rewrite. */
function OptionFields({ crd, options, onChange }: OptionFieldsProps) {
  const limitId = useId();
  const wasRejected = (crd.run?.counts.rejected ?? 0) > 0 || (crd.dryRun?.wouldBeRejected ?? 0) > 0;
  const isOurs = options.engine === "crdshift";
  const invalid = parseWholeNumber(options.maxPerSecond, MOST_PER_SECOND) === undefined;
  return (
    <>
      {isOurs && crd.hasStatus && (wasRejected || options.throughStatus) ? (
        <ChoiceField
          type="checkbox"
          label="Try rejected objects through /status"
          checked={options.throughStatus}
          onChange={(throughStatus) => onChange({ throughStatus })}
        >
          An update of /status stores the whole object again but takes only .status from the request, and skips webhooks and policies that
          don't name the subresource. Schema rules may still reject it, and invalid fields stay invalid.
        </ChoiceField>
      ) : null}
      <ChoiceField
        type="checkbox"
        label="Verify every object"
        checked={options.verifyEveryObject}
        onChange={(verifyEveryObject) => onChange({ verifyEveryObject })}
      >
        Patches every object a second time, which must change nothing. Otherwise, objects above the settle point count as proven.
      </ChoiceField>
      {isOurs ? <PaceChoice pace={options.pace} onChange={(pace) => onChange({ pace })} /> : null}
      {isOurs ? (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <label htmlFor={limitId} className="text-sm font-medium">
            Max objects per second
          </label>
          <input
            id={limitId}
            inputMode="numeric"
            autoComplete="off"
            placeholder="no limit"
            value={options.maxPerSecond}
            aria-invalid={invalid}
            onChange={(event) => onChange({ maxPerSecond: event.target.value })}
            className={`${fieldClass} w-24 text-right`}
          />
          <span className="text-xs text-ink-soft">You can change both during the rewrite</span>
        </div>
      ) : null}
    </>
  );
}
