"use client";

import { clsx } from "clsx";
import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";

/** Copies `text`; `label` is its accessible name. */
export function CopyButton({ text, label, className }: { text: string; label: string; className?: string }) {
  const [copied, setCopied] = useState<"no" | "yes" | "failed">("no");
  useEffect(() => {
    if (copied === "no") return;
    const timer = setTimeout(() => setCopied("no"), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setCopied("yes"),
      () => setCopied("failed"),
    );
  return (
    <button
      type="button"
      onClick={copy}
      aria-label={label}
      className={clsx(
        "inline-flex h-6 shrink-0 items-center gap-1 rounded px-1.5 text-xs text-ink-soft hover:bg-line/60 hover:text-ink print:hidden",
        className,
      )}
    >
      {copied === "yes" ? <Check size={12} aria-hidden /> : <Copy size={12} aria-hidden />}
      <span role="status">{copied === "yes" ? "Copied" : copied === "failed" ? "Select to copy" : "Copy"}</span>
    </button>
  );
}
