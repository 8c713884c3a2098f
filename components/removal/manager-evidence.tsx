"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ChangeButton } from "#components/crd/rights/change-button.tsx";
import { CleanDialog } from "#components/managed-fields/clean-dialog.tsx";
import { ManagedFieldsStatus } from "#components/managed-fields/managed-fields-status.tsx";
import { ManagerList } from "#components/managed-fields/manager-list.tsx";
import { formatCountOf } from "#components/ui/format-count.ts";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ManagedFields } from "#lib/contract/objects/managed-fields.ts";
import { managedFieldsQuery } from "#lib/queries/objects/managed-fields-query.ts";

/** Who wrote objects with a version last, by their managedFields, and the way to carry these entries over. */
export function ManagerEvidence({ cluster, crd, version }: { cluster: string; crd: CrdDetail; version: string }) {
  const counts = useQuery(managedFieldsQuery(cluster, crd.name));
  const [isCleaning, setCleaning] = useState(false);
  return (
    <section aria-label={`Managers at ${version}`} className="flex max-w-3xl flex-col items-start gap-2">
      <h3 className="text-sm font-medium [overflow-wrap:anywhere]">Who wrote with {version}</h3>
      <p className="text-ink-soft">
        An entry in an object's managedFields says who wrote with {version} last, not who reads with it. It is evidence from before any
        rewrite, which leaves it as it is. Once the entries are carried over to another version, it is gone.
      </p>
      {counts.data ? <Found counts={counts.data} version={version} onClean={() => setCleaning(true)} /> : null}
      <div className="text-xs text-ink-soft">
        <ManagedFieldsStatus cluster={cluster} crd={crd} counts={counts} />
      </div>
      <CleanDialog cluster={cluster} crd={crd} version={isCleaning ? version : null} onClose={() => setCleaning(false)} />
    </section>
  );
}

function Found({ counts, version, onClean }: { counts: ManagedFields; version: string; onClean: () => void }) {
  const found = counts.versions.find((one) => one.version === version);
  if (!found) return counts.complete ? <p>No object has an entry of {version}.</p> : null;
  return (
    <>
      <p>
        {formatCountOf(found.objects, "object has an entry", "objects have entries")} of {version}
        {counts.complete ? "" : " so far"}:
      </p>
      <ManagerList version={found} />
      {found.standing === "storage" ? null : (
        <ChangeButton action="clean" disabled={!counts.complete} onClick={onClean}>
          Clean…<span className="sr-only"> entries of {version}</span>
        </ChangeButton>
      )}
    </>
  );
}
