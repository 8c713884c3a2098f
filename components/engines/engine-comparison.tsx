"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { z } from "zod";
import { Section } from "#components/ui/section.tsx";
import type { MigrationApi } from "#lib/contract/rewrite/migration.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { migrationsQuery } from "#lib/queries/rewrite/rewrite-queries.ts";
import { unservedNextStep, unservedWords } from "./engine-words.ts";
import measuredJson from "./measured.json";

/** Compares the engines and recommends one. */
export function EngineComparison({ cluster }: { cluster: string }) {
  const { data, error } = useQuery(migrationsQuery(cluster));
  return (
    <Section title="Choosing an engine" aside={<p>crdshift proves what is stored either way.</p>}>
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-[15px] leading-6">
          Choose crdshift. It continues past rejected objects, shows its progress, and leaves storedVersions alone until there is a proof.
          Choose the cluster's own engine if the patches must come from the control plane; crdshift then watches it and repairs what it gets
          wrong.
        </p>
        <ComparisonTable>
          {engineRows.map((row) => (
            <ComparisonRow key={row.question} {...row} />
          ))}
          <ComparisonRow
            question="In this cluster"
            crdshift="Available if it can patch the objects; a dry run shows whether it can."
            inTree={data ? <Availability api={data.apis[DELEGATE]} /> : (error?.message ?? "Checking…")}
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
  if (api.status === "served" || api.status === "incomplete") {
    return (
      <>
        Served as <span className="font-mono">storagemigration.k8s.io/{api.version}</span>. You only find out whether a controller handles
        it when you start a migration: if none does, crdshift gives up after 30 s.
      </>
    );
  }
  return (
    <span dir="auto">
      {unservedWords(DELEGATE, api)} {unservedNextStep(DELEGATE, api)}
    </span>
  );
}

/** How the engines differ. Claims about the cluster's own are tested on Kubernetes 1.36.3 (in-tree-hazards.long.test.ts). */
const engineRows: EngineRow[] = [
  {
    question: "What it proves",
    crdshift: "That every object is stored at the storage version. It waits until the version has settled, then checks every object again.",
    inTree: "Nothing. Succeeded means that it patched the objects it knew of. crdshift then checks every object to create the proof.",
  },
  {
    question: "One bad object",
    crdshift: "Listed as rejected, with the API server's message; the others continue. There is then no proof, so you can't prune.",
    inTree:
      "Fails the whole migration. It names only this object and doesn't rewrite the ones after it. crdshift's check afterwards names each one.",
  },
  {
    question: "status.storedVersions",
    crdshift: "Unchanged until you prune, which requires a proof and can be undone.",
    inTree:
      "Shortened by the engine even when a migration fails, and by a second migration before it has rewritten anything. You can't prevent this. crdshift remembers the list and repairs what was removed without a proof.",
  },
  {
    question: "Lost fields and ownership",
    crdshift: "Found by a dry run before anything is written. Ownership can be carried over.",
    inTree:
      "It writes at the version that discovery prefers, and drops what that lacks. crdshift starts it only if that is the storage version. Unless you accept losses unseen, nothing may mutate the objects, and a dry run tries each one first. Ownership can't be carried over.",
  },
  {
    question: "Pause, limit, cancel",
    crdshift: "At any time. Rewritten objects stay rewritten and are skipped next time.",
    inTree: "None. Even deleting the migration doesn't stop it; crdshift can only stop watching.",
  },
  {
    question: "Progress",
    crdshift: "Per object, with rate and time left.",
    inTree: "None until it ends. It starts up to a minute late if the objects rarely change, and retries some errors forever.",
  },
  {
    question: "What must be running",
    crdshift: "crdshift. If it stops, the rewrite is interrupted and can be resumed.",
    inTree: "kube-controller-manager with the feature gate StorageVersionMigrator, plus crdshift for the proof.",
  },
  { question: "Speed", crdshift: <Speed engine="crdshift" />, inTree: <Speed engine="inTree" /> },
];

/** An engine's measured speed. */
function Speed({ engine }: { engine: keyof Measured["engines"] }) {
  if (!measured) return <>not measured yet</>;
  const { seconds, objectsPerSecond } = measured.engines[engine];
  return (
    <>
      {formatCount(Math.round(objectsPerSecond))} objects/s: {formatCountOf(measured.objects, "object")} in{" "}
      {formatCount(Math.round(seconds))} s
    </>
  );
}

/** When, where and how the speed was measured, with two baselines. */
function SpeedNote() {
  if (!measured) return <p>Not measured yet. Run npm run bench to record the figures.</p>;
  return (
    <p>
      Measured by npm run bench on {measured.measuredAt.slice(0, 10)}, on {measured.machine} with Kubernetes {measured.kubernetes}. For
      crdshift, this includes verification but not the settle wait. On the same cluster, kubectl get and replace:{" "}
      <Speed engine="kubectlReplace" />. A bare loop of patches, the upper limit: <Speed engine="bareLoop" />. Your results will differ.
    </p>
  );
}

const speedSchema = z.object({ seconds: z.number(), objectsPerSecond: z.number() });

const measuredSchema = z.object({
  measuredAt: z.string(),
  machine: z.string(),
  kubernetes: z.string(),
  objects: z.int(),
  engines: z.object({ crdshift: speedSchema, inTree: speedSchema, kubectlReplace: speedSchema, bareLoop: speedSchema }),
});
type Measured = z.infer<typeof measuredSchema>;

/** The last results of `npm run bench`; null if missing or incomplete. */
const measured: Measured | null = readMeasured(measuredJson);

export function readMeasured(json: unknown): Measured | null {
  return measuredSchema.safeParse(json).data ?? null;
}

interface EngineRow {
  question: string;
  crdshift: ReactNode;
  inTree: ReactNode;
}

const crdshift = "crdshift";
const inTree = "The cluster's own";

/** The engines side by side; on narrow screens, stacked per question. */
function ComparisonTable({ children }: { children: ReactNode }) {
  return (
    <table aria-label="Engine comparison" className="w-full text-sm max-md:block">
      <thead className="max-md:sr-only">
        <tr className="border-b border-line text-left text-xs text-ink-soft">
          <th scope="col" className="h-8 w-44 pr-4 font-medium">
            Question
          </th>
          <th scope="col" className="h-8 pr-6 font-medium">
            {crdshift}
          </th>
          <th scope="col" className="h-8 font-medium">
            {inTree} (StorageVersionMigration)
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line max-md:block">{children}</tbody>
    </table>
  );
}

function ComparisonRow({ question, ...answers }: EngineRow) {
  return (
    <tr className="align-top max-md:block max-md:py-2">
      <th scope="row" className="py-2 pr-4 text-left font-medium max-md:block max-md:py-1">
        {question}
      </th>
      <Answer engine={crdshift}>{answers.crdshift}</Answer>
      <Answer engine={inTree}>{answers.inTree}</Answer>
    </tr>
  );
}

function Answer({ engine, children }: { engine: string; children: ReactNode }) {
  return (
    <td className="py-2 [overflow-wrap:anywhere] max-md:grid max-md:grid-cols-[7rem_1fr] max-md:gap-x-2 max-md:py-1 md:w-1/2 md:pr-6 md:last:pr-0">
      <span aria-hidden className="text-xs leading-5 text-ink-soft md:hidden">
        {engine}
      </span>
      <span>{children}</span>
    </td>
  );
}
