import { clsx } from "clsx";
import Link from "next/link";
import type { ComponentProps } from "react";

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
