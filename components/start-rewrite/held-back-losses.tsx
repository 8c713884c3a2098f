import { LossList } from "#components/shared/loss-list.tsx";
import { ChoiceField } from "#components/ui/form.tsx";
import { holdsBack, unacceptedLosses } from "#lib/domain/losses/losses.ts";
import { mustAcceptUnseen, type RewriteOptions } from "./rewrite-options.ts";
import type { ShownLosses } from "./shown-losses.ts";

interface Props {
  shown: ShownLosses;
  options: RewriteOptions;
  onChange: (change: Partial<RewriteOptions>) => void;
}

/** The expected losses, the checkbox that accepts them, that for unseen ones, and the choice to keep ownership. */
export function HeldBackLosses({ shown, options, onChange }: Props) {
  const { losses, more, sample, others } = shown;
  const holding = losses.filter(({ kind }) => holdsBack(kind));
  const mayLoseOwnership = others !== "none" || losses.some(({ kind }) => kind === "managed-fields");
  const unaccepted = unacceptedLosses({ losses }, { keepOwnership: options.keepOwnership });
  return (
    <>
      {losses.length > 0 ? (
        <div className="max-h-56 overflow-y-auto rounded border border-line px-3 py-1">
          <LossList label="What the rewrite would change" losses={losses} more={more} sample={sample} />
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
      {holding.length > 0 ? (
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
      {others === "none" || others === "untried" ? null : (
        <AcceptUnseen
          without={withoutUnseen(others, { accepted: unaccepted.length === 0, must: mustAcceptUnseen(shown, options) })}
          checked={options.acceptUnseen}
          onChange={(acceptUnseen) => onChange({ acceptUnseen })}
        />
      )}
    </>
  );
}

const withoutWords = {
  "held-back": "crdshift can't determine everything that would be lost, so it holds the rewrite back. With this, nothing is checked.",
  "checks-each":
    "Some losses are unknown. Without this, crdshift checks each object first and leaves it unchanged if its losses stay unknown. " +
    "With it, nothing is checked.",
  "new-dry-run":
    "Some losses were unknown, for a reason that may have passed. Without this, the rewrite starts with a new dry run. With it, nothing is " +
    "checked.",
};

function withoutUnseen(others: ShownLosses["others"], { accepted, must }: { accepted: boolean; must: boolean }): WithoutUnseen {
  if (others === "temporary" && accepted) return "new-dry-run";
  return (others === "unknown" || others === "temporary") && !must ? "checks-each" : "held-back";
}

type WithoutUnseen = keyof typeof withoutWords;

interface AcceptUnseenProps {
  /** What a rewrite does without it: nothing; or it checks each object first; or it makes a new dry run. */
  without: WithoutUnseen;
  checked: boolean;
  onChange: (accepted: boolean) => void;
}

/** The checkbox that accepts what no dry run can show. */
export function AcceptUnseen({ without, checked, onChange }: AcceptUnseenProps) {
  return (
    <ChoiceField type="checkbox" label="I accept losses unseen" checked={checked} onChange={onChange}>
      {withoutWords[without]} You can't undo this. Your name and the time become part of the proof.
    </ChoiceField>
  );
}
