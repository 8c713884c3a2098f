import Link from "next/link";
import { CrdName } from "#components/crd/crd-name.tsx";
import { ObjectTotal } from "#components/crd/object-link.tsx";
import { objectsHref } from "#components/shell/hrefs.ts";
import { Fact } from "#components/ui/fact.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { useReadOnly } from "#lib/queries/session/session-query.ts";

/** The definition's name and its main facts. */
export function DefinitionHeading({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const isReadOnly = useReadOnly();
  return (
    <>
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
        <CrdName plural={crd.plural} group={crd.group} />
      </h1>
      {crd.protection !== null ? (
        <p className="pt-1 text-sm text-ink-soft">
          Protected by <span className="font-mono [overflow-wrap:anywhere]">{crd.protection}</span>
          {isReadOnly ? "." : ": changes need a reason."}
        </p>
      ) : null}
      <dl className="flex flex-wrap gap-x-6 gap-y-1 pt-2 pb-4 text-sm">
        <Fact name="Kind">{crd.kind}</Fact>
        <Fact name="Scope">{crd.scope}</Fact>
        <Fact name="Conversion">
          {crd.conversion}
          {crd.conversionTarget ? <span className="text-ink-soft"> at {crd.conversionTarget}</span> : null}
        </Fact>
        <Fact name="Owner">{crd.owner ?? <span className="text-ink-soft">Unmanaged</span>}</Fact>
        <Fact name="Objects">
          <ObjectTotal objects={crd.objects} />{" "}
          <Link
            href={objectsHref(cluster, crd.name)}
            prefetch={false}
            className="ml-4 underline decoration-line-strong underline-offset-2 hover:decoration-ink"
          >
            Browse objects
          </Link>
        </Fact>
        <Fact name="Generation">{crd.generation}</Fact>
        {crd.deletionTimestamp ? (
          <Fact name="Deleting">
            <span className="text-blocked">
              since <Time at={crd.deletionTimestamp} />, waiting for finalizers
            </span>
          </Fact>
        ) : null}
      </dl>
    </>
  );
}
