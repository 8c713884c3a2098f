import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { LossList } from "#components/shared/loss-list.tsx";
import { Button, ChoiceField } from "#components/ui/form.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { VersionLosses } from "#lib/contract/definition/version-change.ts";
import { flipRefusal } from "#lib/domain/versions/storage-flip.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

interface Props {
  /** The latest finding; undefined until there is one. */
  losses: VersionLosses | undefined;
  error: Error | null;
  onRetry: () => void;
  isAccepted: boolean;
  onAccept: (accepted: boolean) => void;
}

/** What objects would lose with another storage version, with the checkbox that accepts it. */
export function FlipLossesSection({ losses, error, onRetry, isAccepted, onAccept }: Props) {
  return (
    <section aria-label="What objects would lose" className="flex min-h-17 flex-col gap-1.5">
      <h3 className="text-sm font-medium">What objects would lose</h3>
      {error ? (
        <ApiErrorNotice error={error}>
          <Button onClick={onRetry}>Check again</Button>
        </ApiErrorNotice>
      ) : losses ? (
        <Found losses={losses} isAccepted={isAccepted} onAccept={onAccept} />
      ) : (
        <Looking />
      )}
    </section>
  );
}

function Looking() {
  return (
    <div role="status">
      <span className="sr-only">Checking objects…</span>
      <div aria-hidden className="flex flex-col gap-3 pt-1">
        <span className="skeleton h-3 w-full" />
        <span className="skeleton h-3 w-64 max-w-full" />
      </div>
    </div>
  );
}

function Found({ losses: found, isAccepted, onAccept }: { losses: VersionLosses } & Pick<Props, "isAccepted" | "onAccept">) {
  const { losses, moreLosses, unknownBecause, asOf } = found;
  return (
    <>
      <p role="status" className="text-sm text-ink-soft">
        {findingOf(found)} {lookedAt(found)}, <Time at={asOf} seconds />.
      </p>
      {losses.length > 0 ? (
        <div className="max-h-56 overflow-y-auto rounded border border-line px-3 py-1">
          <LossList label="Fields that would be lost" losses={losses} more={moreLosses} sample={null} />
        </div>
      ) : null}
      {unknownBecause === null ? null : (
        <Notice tone="warning" title={losses.length > 0 ? "There may be more" : "Unknown"}>
          <p dir="auto">{unknownBecause}</p>
        </Notice>
      )}
      {flipRefusal(found) ? (
        <ChoiceField
          type="checkbox"
          label={`Make it the storage version anyway: ${droppedWords(found)} dropped when an object is next written`}
          checked={isAccepted}
          onChange={onAccept}
        >
          Moving the storage version back does not recover fields that were already dropped.
        </ChoiceField>
      ) : null}
    </>
  );
}

function droppedWords({ losses, unknownBecause }: VersionLosses): string {
  if (losses.length === 0) return "unseen fields may be";
  return unknownBecause === null ? "these fields are" : "these fields, and maybe unseen ones, are";
}

function findingOf({ total, checked, losses, unknownBecause }: VersionLosses): string {
  if (losses.length > 0) return "These fields, on the next write by any client.";
  if (unknownBecause !== null) return "";
  return checked < (total ?? 0) ? "Nothing found." : "Nothing.";
}

function lookedAt({ total, checked }: VersionLosses): string {
  if (total === null) return "No object could be checked";
  if (total === 0) return "There are no objects";
  return `${formatCount(checked)} of ${formatCountOf(total, "object")} checked${checked > 0 && checked < total ? ", the same sample each time" : ""}`;
}
