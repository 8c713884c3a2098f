"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CleanButton, CleanDialog } from "#components/managed-fields/clean-dialog.tsx";
import { ManagedFieldsStatus, ManagerList } from "#components/managed-fields/managed-fields-section.tsx";
import { versionStanding } from "#components/managed-fields/version-standing.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { managedFieldsQuery } from "#lib/queries/objects/object-queries.ts";

/** The managers that last wrote objects at a version, from managedFields, and the way to clean these entries. */
export function ManagerEvidence({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const counts = useQuery(managedFieldsQuery(cluster, crd.name));
  const [isCleaning, setCleaning] = useState(false);
  return (
    <section aria-label={`Managers at ${version}`} className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium [overflow-wrap:anywhere]">Managers at {version}</h3>
      <p className="text-ink-soft">
        A managedFields entry shows who last wrote at {version}, not who reads it. A rewrite leaves these entries as they are; cleaning them
        erases this evidence.
      </p>
      {counts.data ? <Found crd={crd} counts={counts.data} version={version} onClean={() => setCleaning(true)} /> : null}
      <div className="text-xs text-ink-soft">
        <ManagedFieldsStatus cluster={cluster} crd={crd} counts={counts} />
      </div>
      <CleanDialog cluster={cluster} crd={crd} version={isCleaning ? version : null} onClose={() => setCleaning(false)} />
    </section>
  );
}

function Found(props: { crd: CrdDetail; counts: ManagedFields; version: string; onClean: () => void }) {
  const { crd, counts, version, onClean } = props;
  const found = counts.versions.find((one) => one.version === version);
  if (!found) return counts.complete ? <p>No object has an entry for {version}.</p> : null;
  return (
    <>
      <p>
        {formatCountOf(found.objects, "object has an entry", "objects have entries")} for {version}
        {counts.complete ? "" : " so far"}:
      </p>
      <ManagerList version={found} />
      {versionStanding(crd.versions, version) === "storage" ? null : (
        <CleanButton crd={crd} version={version} disabled={!counts.complete} onClick={onClean} />
      )}
    </>
  );
}
