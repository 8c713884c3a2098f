import { type ReactNode, useId } from "react";

interface Props {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** What it means, in a sentence. */
  children?: ReactNode;
}

/** A checkbox with its label and what it means below. */
export function CheckboxField({ label, checked, onChange, disabled = false, children }: Props) {
  const id = useId();
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-2">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
        aria-describedby={children ? `${id}-meaning` : undefined}
        className="mt-0.75 size-3.5 accent-ink"
      />
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
      </label>
      {children ? (
        <p id={`${id}-meaning`} className="col-start-2 text-xs text-ink-soft [overflow-wrap:anywhere]">
          {children}
        </p>
      ) : null}
    </div>
  );
}
