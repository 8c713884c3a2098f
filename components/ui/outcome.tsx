import { clsx } from "clsx";
import { formatCount } from "./format-count.ts";
import { Hint } from "./hint.tsx";

interface Props {
  name: string;
  /** Null: unknown, which is not 0. */
  count: number | null;
  /** What is counted. */
  text: string;
  /** The colour of a number other than 0. */
  tone?: "plain" | "blocked" | "warning";
}

const colours = { plain: null, blocked: "text-blocked", warning: "text-warning" };

/** A number with its name below, in a `<dl>`. */
export function Outcome({ name, count, text, tone = "plain" }: Props) {
  return (
    <div className="flex flex-col-reverse">
      <dt className="text-xs text-ink-soft">{name}</dt>
      <dd className={clsx("text-lg font-semibold", count ? colours[tone] : null)}>
        <Hint text={text}>{count === null ? "unknown" : formatCount(count)}</Hint>
      </dd>
    </div>
  );
}
