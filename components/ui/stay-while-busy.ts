const ACCIDENTAL = ["escape-key", "outside-press"];

/**
 * For a dialog's onOpenChange: while its request is pending, neither a click outside nor Escape closes it, since the dialog shows the
 * outcome. Its close button always works.
 */
export function stayWhileBusy(isBusy: boolean, change: (open: boolean) => void) {
  return (open: boolean, details: { reason: string; cancel: () => void }) => {
    if (!open && isBusy && ACCIDENTAL.includes(details.reason)) details.cancel();
    else change(open);
  };
}
