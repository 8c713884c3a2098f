import type { ReactNode } from "react";
import { ResourceVersion } from "#components/crd/resource-version.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CustomObject } from "#lib/contract/custom-object.ts";

/** What tells this state of the object from others. */
export function ObjectFacts({ object }: { object: CustomObject }) {
  return (
    <dl className="flex flex-wrap gap-x-6 gap-y-1 pt-2 pb-4 text-sm">
      <Fact name="resourceVersion">
        <ResourceVersion value={object.resourceVersion} />
      </Fact>
      <Fact name="uid">
        <span className="font-mono text-xs">{object.uid}</span>
      </Fact>
      <Fact name="Read">
        <Time at={object.asOf} seconds />
      </Fact>
    </dl>
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
