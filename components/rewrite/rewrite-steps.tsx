import { clsx } from "clsx";
import type { Run } from "#lib/contract/run.ts";
import { runSteps, type StepStatus } from "./run-steps.ts";

const looks: Record<StepStatus, { sign: string; word: string; text: string; signColour: string }> = {
  done: { sign: "✓", word: "done", text: "text-ink", signColour: "text-good" },
  current: { sign: "●", word: "now", text: "font-semibold text-working", signColour: "" },
  stopped: { sign: "✕", word: "stopped here", text: "font-semibold text-ink", signColour: "text-blocked" },
  todo: { sign: "○", word: "not yet", text: "text-ink-soft", signColour: "" },
};

/** Where the run is: settle, rewrite, verify, proof. */
export function RewriteSteps({ run }: { run: Run }) {
  return (
    <ol aria-label="Steps" className="flex items-center gap-2 sm:gap-3">
      {runSteps(run).map(({ name, status }, index) => {
        const look = looks[status];
        return (
          <li
            key={name}
            aria-current={status === "current" ? "step" : undefined}
            className={clsx("flex items-center gap-2 text-sm sm:gap-3", index > 0 && "flex-1")}
          >
            {index > 0 ? (
              <span aria-hidden className={clsx("h-px min-w-2 flex-1", status === "todo" ? "bg-line" : "bg-line-strong")} />
            ) : null}
            <span className={clsx("inline-flex items-center gap-1.5", look.text)}>
              <span aria-hidden className={look.signColour}>
                {look.sign}
              </span>
              {name}
              <span className="sr-only">: {look.word}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
