import { clsx } from "clsx";
import type { ReactNode } from "react";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { Hint } from "./hint.tsx";

/** A name and value in a heading's list of facts. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

interface Props {
  name: string;
  /** Null means unknown, not 0. */
  count: number | null;
  /** There may be more than counted. */
  atLeast?: boolean;
  /** What is counted. */
  text: string;
  /** The color of a nonzero number. */
  tone?: "plain" | "blocked" | "warning";
}

const colors = { plain: null, blocked: "text-blocked", warning: "text-warning" };

/** A number above its name, for use in a `<dl>`. */
export function Outcome({ name, count, atLeast = false, text, tone = "plain" }: Props) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className={clsx("text-lg font-semibold", count ? colors[tone] : null)}>
        <Hint text={text}>{count === null ? "unknown" : `${atLeast ? "at least " : ""}${formatCount(count)}`}</Hint>
      </dd>
    </div>
  );
}

/** A name and value in two columns of a section's list of facts. */
export function FactRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
