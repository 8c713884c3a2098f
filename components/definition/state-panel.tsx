"use client";

import { clsx } from "clsx";
import { type ReactNode, useId, useState } from "react";
import { ConversionFix } from "#components/conversion/conversion-fix.tsx";
import { StartDryRunButton } from "#components/dry-run/start-dry-run-button.tsx";
import { CleanDialog } from "#components/managed-fields/clean-dialog.tsx";
import { RetryTime } from "#components/rewrite/rewrite-progress.tsx";
import { ChangeButton } from "#components/shared/change-button.tsx";
import { StateMark } from "#components/shared/marks.tsx";
import { PruneDialog, UndoPruneButton } from "#components/shared/prune.tsx";
import { useCommands, useTold } from "#components/shared/use-told.ts";
import { nameVersions } from "#components/shared/version-badge.tsx";
import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { conversionFailureIn } from "#lib/domain/conversion/conversion-failure.ts";
import type { CrdStateName } from "#lib/domain/definition/crd-state.ts";
import { nextStep, refusedRewrite } from "#lib/domain/definition/next-step.ts";
import { whyNothingServed } from "#lib/domain/definition/stored-versions.ts";
import { linkTo, NextStepLink } from "./next-step-link.tsx";

const edges: Record<CrdStateName, string> = {
  blocked: "border-blocked bg-blocked-wash",
  rewriting: "border-working bg-working-wash",
  "needs-rewrite": "border-warning bg-warning-wash",
  prunable: "border-ready bg-ready-wash",
  current: "border-good bg-good-wash",
  unknown: "border-line-strong bg-sunken",
};

/** The state in one sentence, the primary action, and the secondary ones. */
export function StatePanel({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const id = useId();
  const withCommands = useCommands();
  const next = nextStep(crd);
  const again = refusedRewrite(next, crd);
  // Kept here, because the button goes as soon as the last entry is cleaned.
  const [cleaning, setCleaning] = useState<string | null>(null);
  // Without a dry run to look at, the dialog of the rewrite shows what it would lose.
  const startsRewrite = next.step === "rewrite" || (next.step === "review-losses" && linkTo(next) === null);
  // Without anything to rewrite there is nothing to try.
  const isServed = whyNothingServed(crd) === null && crd.versions.some(({ storage, served }) => storage && served);
  const canTry = isServed && crd.deletionTimestamp === null;
  const hasLeftovers = crd.leftoverVersions.length > 0;
  const isPruned = crd.lastPrune?.versions.some((version) => !crd.storedVersions.includes(version)) ?? false;
  const isMissing = crd.missingStoredVersions.length > 0;
  return (
    <section aria-label="State" className={clsx("mb-6 border-l-2 px-4 py-3", edges[crd.state])}>
      <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3">
        <div role="status" className="flex max-w-3xl min-w-0 flex-col items-start gap-1">
          <StateMark state={crd.state} />
          <p dir="auto" className="text-[15px] leading-6 text-ink [overflow-wrap:anywhere]">
            {withCommands(crd.stateReason)}
          </p>
          <Consequence crd={crd} />
          <BrokenConversion cluster={cluster} crd={crd} />
          {crd.contradiction ? (
            <p className="text-sm text-ink-soft">
              Read from etcd at <Time at={crd.contradiction.asOf} seconds />. Recount below to read it again.
            </p>
          ) : null}
        </div>
        <div className="flex flex-wrap gap-2">
          {isPruned || isMissing ? (
            <UndoPruneButton
              cluster={cluster}
              crd={crd}
              primary={next.step === "repair"}
              describedBy={crd.actions.restore.refusal ? `${id}-restore` : undefined}
            />
          ) : null}
          {next.step === "watch" ? null : (
            <>
              <StartDryRunButton
                cluster={cluster}
                crd={crd.name}
                primary={next.step === "dry-run"}
                disabled={!canTry}
                describedBy={canTry ? undefined : `${id}-rewrite`}
              />
              <RewriteButton
                cluster={cluster}
                crd={crd}
                primary={startsRewrite}
                chosen={crd.contradiction ? { verifyEveryObject: true } : {}}
                describedBy={crd.actions.rewrite.refusal ? `${id}-rewrite` : undefined}
              />
            </>
          )}
          <PruneDialog
            cluster={cluster}
            crd={crd}
            primary={next.step === "prune"}
            describedBy={crd.actions.prune.refusal ? `${id}-prune` : undefined}
          />
          {next.step === "clean"
            ? next.versions.map((version, index) => (
                <ChangeButton key={version} action="clean" weight={index === 0 ? "primary" : "quiet"} onClick={() => setCleaning(version)}>
                  Clean {version}…
                </ChangeButton>
              ))
            : null}
          <NextStepLink cluster={cluster} crd={crd.name} next={next} />
        </div>
      </div>
      <ul className="flex flex-col gap-0.5 text-sm text-ink-soft not-empty:mt-2">
        {next.step === "watch" ? null : <Refusal id={`${id}-${again}`} action={again} refusal={crd.actions[again].refusal} />}
        {hasLeftovers ? <Refusal id={`${id}-prune`} action="prune" refusal={crd.actions.prune.refusal} said={crd.stateReason} /> : null}
        {isPruned || isMissing ? (
          <Refusal
            id={`${id}-restore`}
            action={isMissing ? "repair storedVersions" : "undo the prune"}
            refusal={crd.actions.restore.refusal}
          />
        ) : null}
        {crd.brokenApplies ? <Refusal id={`${id}-clean`} action="clean managedFields" refusal={crd.actions.clean.refusal} /> : null}
      </ul>
      <CleanDialog cluster={cluster} crd={crd} version={cleaning} onClose={() => setCleaning(null)} />
    </section>
  );
}

/** `action` completes "Can't … yet"; `said` is text that the panel already shows. */
function Refusal({ id, action, refusal, said }: { id: string; action: string; refusal: string | null; said?: string }) {
  const told = useTold();
  if (!refusal) return null;
  const isRepetition = said !== undefined && refusal.includes(said);
  return (
    <li id={id} dir="auto" className="[overflow-wrap:anywhere]">
      <span className="font-medium text-ink">Can't {action} yet</span>: {isRepetition ? "see above." : told(refusal)}
    </li>
  );
}

/** What to fix where objects can't be converted, and when a rewrite that waits for it tries again. */
function BrokenConversion({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const failure = crd.state === "blocked" || crd.state === "rewriting" ? conversionFailureIn(crd.stateReason) : null;
  if (failure === null) return null;
  const run = crd.activeRun;
  const isRetried = run !== null && run.phase !== "paused" && conversionFailureIn(run.statusReason) !== null;
  return (
    <div className="flex flex-col gap-1 text-ink-soft [overflow-wrap:anywhere]">
      <div role="alert">
        <ConversionFix cluster={cluster} crd={crd} failure={failure} />
      </div>
      {isRetried ? <RetryTime at={run.retryAt} /> : null}
    </div>
  );
}

/** What the state means for the leftover versions. */
function Consequence({ crd }: { crd: CrdDetail }): ReactNode {
  const leftovers = nameVersions(crd.leftoverVersions);
  const one = crd.leftoverVersions.length === 1;
  const it = one ? "it" : "them";
  switch (crd.state) {
    case "needs-rewrite":
      return (
        <p className="text-ink-soft [overflow-wrap:anywhere]">
          Rewrite the objects, then prune {leftovers} from storedVersions. Until then, the API server won't let you remove {it}.
        </p>
      );
    case "prunable":
      return (
        <p className="text-ink-soft [overflow-wrap:anywhere]">
          Once you prune {leftovers} from storedVersions, the API server lets you remove {it}.
        </p>
      );
    case "current":
      return <p className="text-ink-soft">No leftover versions block a removal.</p>;
    case "blocked":
      if (crd.brokenApplies === null) return null;
      return (
        <p className="text-ink-soft [overflow-wrap:anywhere]">
          Once their entries are cleaned, they name {crd.storageVersion}, and apply works again. Counted{" "}
          <Time at={crd.brokenApplies.asOf} seconds />.
        </p>
      );
    case "rewriting":
    case "unknown":
      return null;
    default:
      return crd.state satisfies never;
  }
}
