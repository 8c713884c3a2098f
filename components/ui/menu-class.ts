/** The box of a menu. */
export const menuPopupClass =
  "max-h-(--available-height) min-w-40 overflow-y-auto rounded border border-line-strong/60 bg-raised py-1 text-sm shadow-lg shadow-black/10 outline-none dark:shadow-black/50";

/** One item, highlighted under the pointer and by the keyboard. */
export const menuItemClass =
  "flex min-h-8 cursor-default items-center gap-2 px-2.5 py-1 outline-none select-none data-highlighted:bg-line/60";

/** The label of a group of items. */
export const menuLabelClass = "px-2.5 pt-1 pb-0.5 text-xs text-ink-soft";
