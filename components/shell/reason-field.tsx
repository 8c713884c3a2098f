import { type RefObject, useId } from "react";
import { oneLine } from "#lib/contract/protection.ts";

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** Characters as one line. */
  bounds: { least: number; most: number };
  inputRef: RefObject<HTMLTextAreaElement | null>;
}

/** Why something is done, with a count of its characters. */
export function ReasonField({ value, onChange, bounds, inputRef }: Props) {
  const id = useId();
  const { length } = oneLine(value);
  const isTooLong = length > bounds.most;
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="font-medium">
        Reason
      </label>
      <textarea
        ref={inputRef}
        id={id}
        rows={3}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        aria-invalid={isTooLong}
        aria-describedby={`${id}-count`}
        className="w-full resize-y rounded border border-line-strong bg-page px-2.5 py-1.5 text-sm aria-invalid:border-blocked"
      />
      <p id={`${id}-count`} className={isTooLong ? "text-xs text-blocked" : "text-xs text-ink-soft"}>
        {length} of {bounds.least} to {bounds.most} characters
      </p>
    </div>
  );
}
