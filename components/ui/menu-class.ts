export const menuPopupClass =
  "max-h-(--available-height) min-w-40 overflow-y-auto rounded border border-line-strong/60 bg-raised py-1 text-sm shadow-lg shadow-black/10 outline-none dark:shadow-black/50";

export const menuItemClass =
  "flex min-h-8 cursor-default items-center gap-2 px-2.5 py-1 outline-none select-none data-highlighted:bg-line/60";

/** The label of a group of items. */
export const menuLabelClass = "px-2.5 pt-1 pb-0.5 text-xs text-ink-soft";

export const dialogBackdropClass = "fixed inset-0 z-40 min-h-dvh bg-black/30 dark:bg-black/60";

export const dialogPopupClass =
  "fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[36rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col gap-4 overflow-y-auto rounded-md border border-line-strong/60 bg-raised p-5 shadow-xl shadow-black/20 outline-none dark:shadow-black/60";

/** A small field in a row of buttons. */
export const fieldClass =
  "h-8 rounded border border-line-strong bg-raised px-2 text-sm disabled:border-line disabled:text-ink-faint aria-invalid:border-blocked";
