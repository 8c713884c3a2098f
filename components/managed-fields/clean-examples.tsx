import { ObjectLink } from "#components/crd/object-link.tsx";
import { objectName } from "#components/crd/object-name.ts";
import type { Cleaning } from "#lib/contract/managed-fields.ts";

const SHOWN = 3;

type Entry = Cleaning["examples"][number]["before"][number];

/** Some objects' entries as they were, or are, and as they become. */
export function CleanExamples(props: { cluster: string; crd: string; examples: Cleaning["examples"] }) {
  return (
    <ul aria-label="Examples" className="flex flex-col gap-3">
      {props.examples.slice(0, SHOWN).map(({ object, before, after }) => (
        <li key={objectName(object)} className="rounded border border-line px-3 py-2 text-xs">
          <ObjectLink cluster={props.cluster} crd={props.crd} object={object} />
          <div className="grid gap-x-4 gap-y-2 pt-1.5 sm:grid-cols-2">
            <Entries title="before" entries={before} others={after} />
            <Entries title="after" entries={after} others={before} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function Entries({ title, entries, others }: { title: string; entries: Entry[]; others: Entry[] }) {
  const unchanged = new Set(others.map(textOf));
  return (
    <div className="min-w-0">
      <p className="text-ink-soft">{title}</p>
      <ul className="font-mono leading-5">
        {entries.map((entry, index) => {
          const text = textOf(entry);
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: two entries may look alike
              key={index}
              className={unchanged.has(text) ? "text-ink-faint [overflow-wrap:anywhere]" : "[overflow-wrap:anywhere] text-ink"}
            >
              {text}
            </li>
          );
        })}
        {entries.length === 0 ? <li className="font-sans text-ink-soft italic">none</li> : null}
      </ul>
    </div>
  );
}

function textOf({ manager, operation, version, subresource }: Entry): string {
  return `${version} ${manager} ${operation}${subresource ? ` /${subresource}` : ""}`;
}
