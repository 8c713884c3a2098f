import { z } from "zod";
import { LossList } from "#components/crd/loss-list.tsx";
import { ChoiceField } from "#components/ui/form.tsx";
import { lossSchema } from "#lib/contract/rewrite/dry-run.ts";
import { unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import { holdsBack, type Loss } from "#lib/domain/losses/losses.ts";
import { ApiError } from "#lib/queries/api-client.ts";
import type { RewriteOptions } from "./rewrite-options.ts";

interface Props {
  losses: Loss[];
  /** Paths beyond those listed. */
  more: number;
  /** Whether a dry run found all losses. */
  known: boolean;
  /** Whether the losses can't be determined, and can only be accepted unseen. */
  unseen: boolean;
  options: RewriteOptions;
  onChange: (change: Partial<RewriteOptions>) => void;
}

/** The expected losses, the checkbox that accepts them, and the choice to keep ownership. */
export function HeldBackLosses({ losses, more, known, unseen, options, onChange }: Props) {
  const holding = losses.filter(({ kind }) => holdsBack(kind));
  const mayLoseOwnership = !known || losses.some(({ kind }) => kind === "managed-fields");
  const unaccepted = unacceptedLosses({ losses }, { keepOwnership: options.keepOwnership });
  return (
    <>
      {losses.length > 0 ? (
        <div className="max-h-56 overflow-y-auto rounded border border-line px-3 py-1">
          <LossList label="What the rewrite would change" losses={losses} more={more} />
        </div>
      ) : null}
      {mayLoseOwnership && options.engine === "crdshift" ? (
        <ChoiceField
          type="checkbox"
          label="Keep ownership"
          checked={options.keepOwnership}
          onChange={(keepOwnership) => onChange({ keepOwnership })}
        >
          Carries managedFields that would be lost over to the storage version, so the next server-side apply by the same manager works as
          before.
        </ChoiceField>
      ) : null}
      {holding.length > 0 && !(unseen && unaccepted.length === 0) ? (
        <ChoiceField
          type="checkbox"
          label="I accept these losses"
          checked={options.acceptLosses}
          disabled={unaccepted.length === 0}
          onChange={(acceptLosses) => onChange({ acceptLosses })}
        >
          {unaccepted.length === 0
            ? "Nothing left to accept: ownership is kept."
            : "You can't undo this. Your name, the time and this list become part of the proof."}
        </ChoiceField>
      ) : null}
      {unseen && unaccepted.length === 0 ? (
        <ChoiceField
          type="checkbox"
          label="I accept losses unseen"
          checked={options.acceptLosses}
          onChange={(acceptLosses) => onChange({ acceptLosses })}
        >
          crdshift can't determine what would be lost, so it holds the rewrite back. You can't undo this. Your name and the time become part
          of the proof.
        </ChoiceField>
      ) : null}
    </>
  );
}

/** The unaccepted losses that a refused start names; null if it was refused for another reason. */
export function refusedLosses(error: Error | null): Loss[] | null {
  if (!(error instanceof ApiError) || error.code !== "precondition_failed") return null;
  const losses = z.array(lossSchema).safeParse(error.details?.losses);
  return losses.success && losses.data.length > 0 ? losses.data : null;
}

/** The id of the dry run that found the losses of a refused start; null if there is none. */
export function refusedDryRun(error: Error | null): string | null {
  const id = error instanceof ApiError ? error.details?.dryRun : null;
  return typeof id === "string" ? id : null;
}
