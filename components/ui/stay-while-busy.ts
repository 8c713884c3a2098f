const ACCIDENTAL = ["escape-key", "outside-press"];

/**
 * For a dialog's onOpenChange: while its request is under way neither a press beside it nor Escape closes it, since what comes of
 * that request is told in it. Its own button closes it at any time.
 */
export function stayWhileBusy(isBusy: boolean, change: (open: boolean) => void) {
  return (open: boolean, details: { reason: string; cancel: () => void }) => {
    if (!open && isBusy && ACCIDENTAL.includes(details.reason)) details.cancel();
    else change(open);
  };
}
