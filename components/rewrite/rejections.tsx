import { CopyButton } from "#components/ui/copy-button.tsx";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Section } from "#components/ui/section.tsx";
import type { Run } from "#lib/contract/run.ts";

type Rejection = Run["rejections"][number];

/** What the API server refused, by reason, in its own words. */
export function Rejections({ run }: { run: Run }) {
  if (run.rejections.length === 0) return null;
  return (
    <Section title="Rejected" aside={<p>In the API server's words. Mend the cause, then start a new rewrite: it skips what is done.</p>}>
      <ul aria-label="Rejections" className="flex flex-col gap-5">
        {run.rejections.map((rejection) => (
          <RejectionItem key={`${rejection.reason} ${rejection.message}`} rejection={rejection} />
        ))}
      </ul>
    </Section>
  );
}

function RejectionItem({ rejection }: { rejection: Rejection }) {
  const { reason, message, count, examples } = rejection;
  const names = examples.map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : name));
  const more = count - examples.length;
  return (
    <li className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium text-blocked">{formatCountOf(count, "object")}</span>
        <span className="font-medium">{reason}</span>
        <CopyButton text={`${message}\n${names.join("\n")}`} label={`Copy the message and the names for ${reason}`} className="ml-auto" />
      </div>
      <p dir="auto" className="rounded border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 [overflow-wrap:anywhere]">
        {message}
      </p>
      <details open={names.length <= 20} className="text-xs">
        <summary className="text-ink-soft hover:text-ink">Objects</summary>
        <ul className="flex flex-wrap gap-x-4 gap-y-1 pt-1.5 font-mono">
          {names.map((name) => (
            <li key={name} className="[overflow-wrap:anywhere]">
              {name}
            </li>
          ))}
          {more > 0 ? <li className="font-sans text-ink-soft">and {formatCount(more)} more</li> : null}
        </ul>
      </details>
    </li>
  );
}
