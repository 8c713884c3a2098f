import Link from "next/link";
import type { ReactNode } from "react";
import { MigrationMark } from "#components/migrations/migration-mark.tsx";
import { enginesHref } from "#components/shell/hrefs.ts";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";

/** The StorageVersionMigration that a run delegates to: its state, and what crdshift repaired after it. */
export function DelegationSection({ cluster, run }: { cluster: string; run: Run }) {
  const { delegation } = run;
  if (!delegation) return null;
  return (
    <Section
      title="The cluster's own engine"
      aside={
        <>
          <p>It patches the objects; crdshift watches it and checks every object afterwards. You can't pause, limit or stop it.</p>
          <Link href={enginesHref(cluster)} prefetch={false} className="underline underline-offset-2 hover:text-ink">
            All StorageVersionMigrations
          </Link>
        </>
      }
    >
      <dl className="grid max-w-3xl grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        <Fact name="StorageVersionMigration">
          <span className="font-mono text-xs">{delegation.migration}</span>
        </Fact>
        <Fact name="State">
          {delegation.phase === null ? "none running" : <MigrationMark phase={delegation.phase} />}
          {delegation.phase === "running" && !isLive(run) ? " when last checked" : null}
        </Fact>
        {delegation.left ? (
          <Fact name="Left">
            <span dir="auto">{delegation.left}</span>
          </Fact>
        ) : null}
        <Fact name="Message">{delegation.message ? <span dir="auto">{delegation.message}</span> : "none"}</Fact>
        {delegation.startedAt ? (
          <Fact name="Started">
            <Time at={delegation.startedAt} seconds />
          </Fact>
        ) : null}
        {delegation.endedAt ? (
          <Fact name="Ended">
            <Time at={delegation.endedAt} seconds />
          </Fact>
        ) : null}
        <Fact name="storedVersions before">
          <span className="font-mono">{delegation.storedVersionsBefore.join(", ")}</span>
        </Fact>
        <Fact name="Repaired">
          {delegation.putBack.length > 0 ? (
            <>
              <span className="font-mono">{delegation.putBack.join(", ")}</span> removed by the engine without a proof, and put back into
              storedVersions
            </>
          ) : (
            <>nothing{delegation.endedAt ? "" : " so far"}</>
          )}
        </Fact>
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
