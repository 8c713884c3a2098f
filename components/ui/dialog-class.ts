export const dialogBackdropClass = "fixed inset-0 z-40 min-h-dvh bg-black/30 dark:bg-black/60";

export const dialogPopupClass =
  "fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100dvh-2rem)] w-[36rem] max-w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col gap-4 overflow-y-auto rounded-md border border-line-strong/60 bg-raised p-5 shadow-xl shadow-black/20 outline-none dark:shadow-black/60";
