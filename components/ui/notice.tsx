import { clsx } from "clsx";
import type { ReactNode } from "react";

type Tone = "blocked" | "warning" | "working" | "neutral";

const tones: Record<Tone, string> = {
  blocked: "border-blocked bg-blocked-wash",
  warning: "border-warning bg-warning-wash",
  working: "border-working bg-working-wash",
  neutral: "border-line-strong bg-sunken",
};

/** An inline message; `role` sets how urgently screen readers announce it. */
export function Notice({ tone, role, title, children }: { tone: Tone; role?: "status" | "alert"; title: string; children?: ReactNode }) {
  return (
    <div role={role} className={clsx("border-l-2 px-3 py-2 text-sm", tones[tone])}>
      <p className="font-medium [overflow-wrap:anywhere]">{title}</p>
      {children ? <div className="mt-0.5 flex flex-col items-start gap-1.5 text-ink-soft [overflow-wrap:anywhere]">{children}</div> : null}
    </div>
  );
}

/** An error: what failed, the original message, and the next step. */
export function ErrorNotice(props: { message: string; cause?: string | undefined; nextStep?: string | undefined; children?: ReactNode }) {
  return (
    <Notice tone="blocked" role="alert" title={props.message}>
      {props.cause && props.cause !== props.message ? (
        <p dir="auto" className="font-mono text-xs">
          {props.cause}
        </p>
      ) : null}
      {props.nextStep ? <p>{props.nextStep}</p> : null}
      {props.children}
    </Notice>
  );
}
