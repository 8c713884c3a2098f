import { LossList } from "#components/crd/losses/loss-list.tsx";
import { ChoiceField } from "#components/ui/choice-field.tsx";
import { unacceptedLosses } from "#lib/domain/losses/dry-run.ts";
import { holdsBack, type Loss } from "#lib/domain/losses/losses.ts";
import type { RewriteOptions } from "./rewrite-options.ts";

interface Props {
  losses: Loss[];
  /** Paths beyond those listed. */
  more: number;
  /** False where no dry run could tell all that is lost. */
  known: boolean;
  /** It could not be found out: it can only be accepted unseen. */
  unseen: boolean;
  options: RewriteOptions;
  onChange: (change: Partial<RewriteOptions>) => void;
}

/** What would be lost, with the acknowledgement that it takes, and whether ownership is kept. */
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
          Where managedFields would be lost, carry them over to the storage version instead, so that the next server-side apply by the same
          manager goes through as before.
        </ChoiceField>
      ) : null}
      {holding.length > 0 && !(unseen && unaccepted.length === 0) ? (
        <ChoiceField
          type="checkbox"
          label="I accept that these are lost"
          checked={options.acceptLosses}
          disabled={unaccepted.length === 0}
          onChange={(acceptLosses) => onChange({ acceptLosses })}
        >
          {unaccepted.length === 0
            ? "Nothing is left to accept: ownership is kept."
            : "There is no undo. Your name, the time and this list become part of the proof."}
        </ChoiceField>
      ) : null}
      {unseen && unaccepted.length === 0 ? (
        <ChoiceField
          type="checkbox"
          label="I accept losses unseen"
          checked={options.acceptLosses}
          onChange={(acceptLosses) => onChange({ acceptLosses })}
        >
          What would be lost could not be found out, so a rewrite is held back. There is no undo. Your name and the time become part of the
          proof.
        </ChoiceField>
      ) : null}
    </>
  );
}
