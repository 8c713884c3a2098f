import { CopyButton } from "#components/ui/code.tsx";
import type { RejectionGroup } from "#lib/domain/rewrite/run.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { ObjectLink } from "./object-link.tsx";

interface Props {
  cluster: string;
  crd: string;
  label: string;
  rejections: readonly RejectionGroup[];
  /** `warning` for a dry run. */
  tone?: "blocked" | "warning";
}

const OPEN_UP_TO = 20;

/** Rejected objects grouped by reason, each with the API server's message. */
export function RejectionList({ cluster, crd, label, rejections, tone = "blocked" }: Props) {
  return (
    <ul aria-label={label} className="flex flex-col gap-5">
      {rejections.map((rejection) => (
        <RejectionItem key={`${rejection.reason} ${rejection.message}`} cluster={cluster} crd={crd} rejection={rejection} tone={tone} />
      ))}
    </ul>
  );
}

function RejectionItem(props: { cluster: string; crd: string; rejection: RejectionGroup; tone: "blocked" | "warning" }) {
  const { reason, message, count, examples } = props.rejection;
  const names = examples.map(fullName);
  const more = count - examples.length;
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className={props.tone === "blocked" ? "font-medium text-blocked" : "font-medium text-warning"}>
          {formatCountOf(count, "object")}
        </span>
        <span className="font-medium">{reason}</span>
        <CopyButton text={`${message}\n${names.join("\n")}`} label={`Copy message and names for ${reason}`} className="ml-auto" />
      </div>
      <p dir="auto" className="rounded border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 [overflow-wrap:anywhere]">
        {message}
      </p>
      <details open={names.length <= OPEN_UP_TO} className="text-xs">
        <summary className="text-ink-soft hover:text-ink">Objects</summary>
        <ul className="flex flex-wrap gap-x-4 gap-y-1 pt-1.5">
          {examples.map((object) => (
            <li key={fullName(object)}>
              <ObjectLink cluster={props.cluster} crd={props.crd} object={object} />
            </li>
          ))}
          {more > 0 ? <li className="text-ink-soft">and {formatCount(more)} more</li> : null}
        </ul>
      </details>
    </li>
  );
}
