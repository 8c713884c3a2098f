import { OneClickButton } from "#components/crd/one-click-button.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { putBackConversion } from "#lib/queries/removal-mutations.ts";
import { DropConversionButton } from "./drop-conversion-button.tsx";

/** The webhook that nothing needs any more can be dropped, and the one that was dropped put back. */
export function WebhookChange({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { droppedConversion } = crd;
  if (droppedConversion) {
    const { target, droppedAt, by } = droppedConversion;
    return (
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <OneClickButton
          mutation={putBackConversion(cluster, crd.name)}
          variables={undefined}
          action="change-spec"
          label="Put the webhook back"
          pendingLabel="Putting back…"
          failure="The webhook was not put back"
        />
        <p className="text-ink-soft [overflow-wrap:anywhere]">
          The webhook at <span className="font-mono text-xs">{target}</span> was dropped <Time at={droppedAt} />
          {by ? (
            <>
              {" "}
              by <span dir="auto">{by}</span>
            </>
          ) : null}
          .
        </p>
      </div>
    );
  }
  // The step is the same on every version's path; with more than one version it is refused on each.
  const step = crd.removals[0]?.steps.find(({ name }) => name === "conversion");
  if (crd.conversion !== "Webhook" || crd.versions.length > 1 || !step) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <DropConversionButton cluster={cluster} crd={crd} disabled={step.state === "refused"} />
      {step.refusal ? (
        <p dir="auto" className="text-ink-soft [overflow-wrap:anywhere]">
          {step.refusal.message} {step.refusal.nextStep}
        </p>
      ) : null}
    </div>
  );
}
