import type { ReactNode } from "react";
import { Section } from "#components/ui/section.tsx";
import { DataCell, DataTable } from "#components/ui/table.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

const columns = [{ name: "Version" }, { name: "/status" }, { name: "/scale" }];

/** The definition's names, and the subresources of each version. */
export function NamesSection({ crd }: { crd: CrdDetail }) {
  const { names, acceptedNames: accepted } = crd;
  const hasSubresources = crd.subresources.some(({ status, scale }) => status || scale !== null);
  return (
    <Section title="Names and subresources" aside={<p>The names of its objects, and which parts have their own endpoint.</p>}>
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
        <Name name="Kind" asked={[crd.kind]} accepted={accepted && [accepted.kind]} />
        <Name name="List kind" asked={[names.listKind]} accepted={accepted && [accepted.listKind]} />
        <Name name="Plural" asked={[crd.plural]} accepted={accepted && [accepted.plural]} />
        <Name name="Singular" asked={[names.singular]} accepted={accepted && [accepted.singular]} />
        <Name name="Short names" asked={names.shortNames} accepted={accepted?.shortNames ?? null} />
        <Name name="Categories" asked={names.categories} accepted={null} />
      </dl>
      {hasSubresources ? (
        <div className="pt-4">
          <DataTable label="Subresources" columns={columns}>
            {crd.subresources.map(({ version, status, scale }) => (
              <tr key={version}>
                <th scope="row" className="max-w-64 truncate py-1.5 pr-2 text-left font-mono font-medium" title={version}>
                  {version}
                </th>
                <DataCell className="whitespace-nowrap">{status ? "● yes" : <No />}</DataCell>
                <DataCell className="min-w-60 [overflow-wrap:anywhere]">{scale ? <Scale scale={scale} /> : <No />}</DataCell>
              </tr>
            ))}
          </DataTable>
        </div>
      ) : (
        <p className="pt-4 text-ink-soft">No subresources</p>
      )}
    </Section>
  );
}

/** `accepted` is null if it equals `asked`. */
function Name({ name, asked, accepted }: { name: string; asked: readonly string[]; accepted: readonly string[] | null }) {
  const shown = asked.filter(Boolean);
  const instead = accepted?.filter(Boolean) ?? shown;
  const differs = shown.join() !== instead.join();
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">
        {shown.length > 0 ? <Mono>{shown.join(", ")}</Mono> : <span className="text-ink-soft">none</span>}
        {differs ? (
          <span className="block text-warning">▲ accepted: {instead.length > 0 ? <Mono>{instead.join(", ")}</Mono> : "none"}</span>
        ) : null}
      </dd>
    </>
  );
}

function Mono({ children }: { children: ReactNode }) {
  return <span className="font-mono text-[13px]">{children}</span>;
}

function Scale({ scale }: { scale: NonNullable<CrdDetail["subresources"][number]["scale"]> }) {
  return (
    <>
      ● desired replicas at <Mono>{scale.specReplicasPath}</Mono>, actual at <Mono>{scale.statusReplicasPath}</Mono>
      {scale.labelSelectorPath === null ? (
        ", without a label selector"
      ) : (
        <>
          , label selector at <Mono>{scale.labelSelectorPath}</Mono>
        </>
      )}
    </>
  );
}

function No() {
  return (
    <span className="text-ink-faint">
      <span aria-hidden>–</span>
      <span className="sr-only">no</span>
    </span>
  );
}
