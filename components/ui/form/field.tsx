import { type ReactNode, useId } from "react";

interface Props {
  type: "checkbox" | "radio";
  /** Radio buttons only: the same for the whole group. */
  name?: string;
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  /** What it means, in one sentence. */
  children?: ReactNode;
}

/** A checkbox or radio button with its label and a help text below. Wrap radio groups in a `<fieldset>`. */
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

/** A small field in a row of buttons. */
export const fieldClass =
  "h-8 rounded border border-line-strong bg-raised px-2 text-sm disabled:border-line disabled:text-ink-faint aria-invalid:border-blocked";
