"use client";

import { useQuery } from "@tanstack/react-query";
import { unservedNextStep, unservedWords } from "#components/migrations/api-words.ts";
import { Section } from "#components/ui/section.tsx";
import type { MigrationApi } from "#lib/contract/migration.ts";
import { migrationsQuery } from "#lib/queries/migration-queries.ts";
import { ComparisonRow, ComparisonTable } from "./comparison-table.tsx";
import { engineRows } from "./engine-rows.tsx";
import { SpeedNote } from "./speed.tsx";

/** Which engine to choose, and why. */
export function EngineComparison({ cluster }: { cluster: string }) {
  const { data, error } = useQuery(migrationsQuery(cluster));
  return (
    <Section title="Which engine to choose, and why" aside={<p>Either way it is crdshift that proves what is stored.</p>}>
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-[15px] leading-6">
          Choose crdshift. It goes on past objects that are refused, tells how far it is, and leaves storedVersions alone until there is a
          proof. Choose the cluster's own engine where the patches have to come from the control plane; crdshift then watches it and repairs
          what it gets wrong.
        </p>
        <ComparisonTable>
          {engineRows.map((row) => (
            <ComparisonRow key={row.question} {...row} />
          ))}
          <ComparisonRow
            question="In this cluster"
            crdshift="There, as long as it may patch the objects; the dry run tells."
            inTree={data ? <Availability api={data.apis["in-tree"]} /> : (error?.message ?? "Asking the cluster…")}
          />
        </ComparisonTable>
        <div className="max-w-3xl text-xs text-ink-soft">
          <SpeedNote />
        </div>
      </div>
    </Section>
  );
}

function Availability({ api }: { api: MigrationApi }) {
  if (api.status === "served") {
    return (
      <>
        Served as <span className="font-mono">storagemigration.k8s.io/{api.version}</span>. Whether a controller works on it shows once
        there is something to do: crdshift gives up after 30 s.
      </>
    );
  }
  return (
    <span dir="auto">
      {unservedWords("in-tree", api)} {unservedNextStep("in-tree", api)}
    </span>
  );
}
