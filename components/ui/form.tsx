import { clsx } from "clsx";
import Link from "next/link";
import { type ComponentProps, type ReactNode, useId } from "react";

type Weight = "primary" | "quiet" | "danger";

const weights: Record<Weight, string> = {
  primary: "border-ink bg-ink text-page hover:not-disabled:bg-ink-soft hover:not-disabled:border-ink-soft",
  quiet: "border-line-strong/60 bg-raised text-ink hover:not-disabled:bg-sunken hover:not-disabled:border-line-strong",
  danger: "border-blocked bg-raised text-blocked hover:not-disabled:bg-blocked-wash",
};

/** The button style, also for elements other than `<button>`. */
export function buttonClass(weight: Weight): string {
  return clsx(
    "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded border px-3 text-sm font-medium whitespace-nowrap",
    "disabled:border-line disabled:bg-sunken disabled:text-ink-faint",
    weights[weight],
  );
}

export function Button({ weight = "quiet", className, ...props }: ComponentProps<"button"> & { weight?: Weight }) {
  return <button type="button" {...props} className={clsx(buttonClass(weight), className)} />;
}

export function ButtonLink({ weight = "quiet", className, ...props }: ComponentProps<typeof Link> & { weight?: Weight }) {
  return <Link {...props} className={clsx(buttonClass(weight), className)} />;
}

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

/** Parses a whole number from 1 to `most`; "1,000" works. Returns null for empty text and undefined for anything else. */
export function parseWholeNumber(text: string, most: number): number | null | undefined {
  const digits = text.replaceAll(/[\s,_]/g, "");
  if (digits === "") return null;
  if (!/^\d+$/.test(digits)) return undefined;
  const number = Number(digits);
  return number >= 1 && number <= most ? number : undefined;
}
