import { type ReactNode, useId } from "react";

interface Props {
  type: "checkbox" | "radio";
  /** Of a radio: the same for all of its group. */
  name?: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** What it means, in a sentence. */
  children?: ReactNode;
}

/** A box or a button to check, with its label and what it means below. A group of radios is a `<fieldset>`. */
export function ChoiceField({ type, name, label, checked, onChange, disabled = false, children }: Props) {
  const id = useId();
  return (
    <div className="grid grid-cols-[auto_1fr] gap-x-2">
      <input
        id={id}
        type={type}
        name={name}
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
