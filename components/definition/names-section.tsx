import type { ReactNode } from "react";
import { DataCell, DataTable } from "#components/ui/data-table.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

const columns = [{ name: "Version" }, { name: "/status" }, { name: "/scale" }];

/** What the definition's objects are called, and the subresources of each version. */
export function NamesSection({ crd }: { crd: CrdDetail }) {
  const { names, acceptedNames: accepted } = crd;
  const hasSubresources = crd.subresources.some(({ status, scale }) => status || scale !== null);
  return (
    <Section
      title="Names and subresources"
      aside={<p>What its objects are called, and what can be changed apart from the rest of them.</p>}
    >
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
        <p className="pt-4 text-ink-soft">No version has a subresource.</p>
      )}
    </Section>
  );
}

/** `accepted` is null where that is what is asked for. */
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
      ● replicas wanted at <Mono>{scale.specReplicasPath}</Mono>, counted at <Mono>{scale.statusReplicasPath}</Mono>
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
