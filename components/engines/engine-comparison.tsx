"use client";

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { z } from "zod";
import { unservedNextStep, unservedWords } from "#components/migrations/api-words.ts";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Section } from "#components/ui/section.tsx";
import type { MigrationApi } from "#lib/contract/rewrite/migration.ts";
import { migrationsQuery } from "#lib/queries/rewrite/migration-queries.ts";
import measuredJson from "./measured.json";

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

/** How the engines differ. What is said of the cluster's own is tested on Kubernetes 1.36.3 (in-tree-hazards.integration.test.ts). */
const engineRows: EngineRow[] = [
  {
    question: "What it proves",
    crdshift:
      "That every object is stored at the storage version: it waits until the version has settled, and looks at every object once more.",
    inTree: "Nothing. Succeeded means that it patched what it knew of. crdshift looks at every object afterwards, and that is the proof.",
  },
  {
    question: "One bad object",
    crdshift: "It is listed as rejected, in the API server's words, and the others go on. There is no proof then, and nothing to prune.",
    inTree:
      "The whole migration fails at it and names no other; what comes after it is not rewritten. crdshift's pass afterwards tells each.",
  },
  {
    question: "status.storedVersions",
    crdshift: "Stays until you prune it, which takes a proof and has an undo.",
    inTree:
      "Shortened by the engine itself, with no way to prevent it: also when it failed, and by a second migration before it has rewritten anything. crdshift remembers the list, and puts back what went without a proof.",
  },
  {
    question: "Lost fields and ownership",
    crdshift: "Found by a dry run before anything is written. Ownership can be carried over.",
    inTree: "Found by the same dry run where crdshift delegates. Ownership can't be carried over.",
  },
  {
    question: "Pause, limit, cancel",
    crdshift: "At any time; what is rewritten stays so, and is skipped the next time.",
    inTree: "None. Even deleting it does not stop it; crdshift can only stop looking.",
  },
  {
    question: "Progress",
    crdshift: "Object by object, with rate and time left.",
    inTree: "None until it has ended. It begins up to a minute late where the objects hardly change, and tries some errors again for ever.",
  },
  {
    question: "Who must be running",
    crdshift: "crdshift. Where it ends, the rewrite is interrupted and can be resumed.",
    inTree: "kube-controller-manager with the feature gate StorageVersionMigrator; crdshift too, for the proof.",
  },
  { question: "Speed", crdshift: <Speed engine="crdshift" />, inTree: <Speed engine="inTree" /> },
];

/** How fast an engine was when it was measured. */
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

/** What was measured, where and when, and what stands between the engines and nothing. */
function SpeedNote() {
  if (!measured) return <p>No speed is told before it was measured: npm run bench does so and writes the figures down.</p>;
  return (
    <p>
      Speed as npm run bench measured it on {measured.measuredAt.slice(0, 10)}, on {measured.machine} with Kubernetes {measured.kubernetes}:
      crdshift's with its verification, without the settle wait. On the same cluster, kubectl get and replace:{" "}
      <Speed engine="kubectlReplace" />. A bare loop of patches, which is the limit: <Speed engine="bareLoop" />. Elsewhere it will differ.
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

/** What `npm run bench` last measured of the engines; null until it has, for half a measurement says nothing. */
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

/** The engines side by side; on a narrow screen one below the other, question by question. */
function ComparisonTable({ children }: { children: ReactNode }) {
  return (
    <table aria-label="The engines compared" className="w-full text-sm max-md:block">
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
