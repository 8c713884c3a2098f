import { type ReactNode, useId } from "react";

interface Props {
  /** The same for all of a group. */
  name: string;
  label: string;
  checked: boolean;
  onSelect: () => void;
  disabled?: boolean;
  /** What it means, in a sentence. */
  children?: ReactNode;
}

/** One choice of a group with its label and what it means below; the group is a `<fieldset>`. */
export function RadioField({ name, label, checked, onSelect, disabled = false, children }: Props) {
  const id = useId();
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-2">
      <input
        id={id}
        type="radio"
        name={name}
        checked={checked}
        disabled={disabled}
        onChange={onSelect}
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
