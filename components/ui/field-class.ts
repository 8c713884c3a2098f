/** The look of a small field in a row of buttons. */
export const fieldClass =
  "h-8 rounded border border-line-strong bg-raised px-2 text-sm disabled:border-line disabled:text-ink-faint aria-invalid:border-blocked";
