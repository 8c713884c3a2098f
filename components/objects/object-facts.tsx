import { ResourceVersion } from "#components/crd/resource-version.tsx";
import { Fact } from "#components/ui/fact.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";

/** What identifies this state of the object. */
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
