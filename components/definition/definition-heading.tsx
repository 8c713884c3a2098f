import type { ReactNode } from "react";
import { CrdName } from "#components/crd/crd-name.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** The definition's name and what it is. */
export function DefinitionHeading({ crd }: { crd: CrdDetail }) {
  return (
    <>
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
        <CrdName plural={crd.plural} group={crd.group} />
      </h1>
      <dl className="flex flex-wrap gap-x-6 gap-y-1 pt-2 pb-4 text-sm">
        <Fact name="Kind">{crd.kind}</Fact>
        <Fact name="Scope">{crd.scope}</Fact>
        <Fact name="Conversion">
          {crd.conversion}
          {crd.conversionTarget ? <span className="text-ink-soft"> at {crd.conversionTarget}</span> : null}
        </Fact>
        <Fact name="Owner">{crd.owner ?? <span className="text-ink-soft">none recorded</span>}</Fact>
        <Fact name="Generation">{crd.generation}</Fact>
        {crd.deletionTimestamp ? (
          <Fact name="Deleted">
            <span className="text-blocked">
              <Time at={crd.deletionTimestamp} />, waits for finalizers
            </span>
          </Fact>
        ) : null}
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
