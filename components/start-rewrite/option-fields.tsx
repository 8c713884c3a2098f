import { useId } from "react";
import { ChoiceField } from "#components/ui/choice-field.tsx";
import { fieldClass } from "#components/ui/field-class.ts";
import { parseWholeNumber } from "#components/ui/whole-number.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { MOST_PER_SECOND, type RewriteOptions } from "./rewrite-options.ts";

interface Props {
  crd: CrdDetail;
  options: RewriteOptions;
  onChange: (change: Partial<RewriteOptions>) => void;
}

/** How the rewrite is to be done. */
export function OptionFields({ crd, options, onChange }: Props) {
  const limitId = useId();
  const wasRejected = (crd.run?.counts.rejected ?? 0) > 0 || (crd.preflight?.wouldBeRejected ?? 0) > 0;
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
          An update of /status stores the whole object anew, but takes only .status from what is sent, and webhooks and policies that don't
          name the subresource are not asked. Rules of the schema may still refuse it. What is invalid in the object stays so.
        </ChoiceField>
      ) : null}
      <ChoiceField
        type="checkbox"
        label="Verify every object"
        checked={options.verifyEveryObject}
        onChange={(verifyEveryObject) => onChange({ verifyEveryObject })}
      >
        Patches all objects a second time, which must change nothing. Without it, those above the settle point count as proven.
      </ChoiceField>
      {isOurs ? (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <label htmlFor={limitId} className="text-sm font-medium">
            Objects a second, at most
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
          <span className="text-xs text-ink-soft">can be changed while it runs</span>
        </div>
      ) : null}
    </>
  );
}
