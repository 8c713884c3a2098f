"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { managedFieldsQuery } from "#lib/queries/managed-fields-query.ts";
import { CleanDialog } from "./clean-dialog.tsx";
import { ManagedFieldsStatus } from "./managed-fields-status.tsx";
import { VersionsTable } from "./versions-table.tsx";

/** Which versions the objects' managedFields name, by manager, and the way to carry them over before a version goes. */
export function ManagedFieldsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const counts = useQuery(managedFieldsQuery(cluster, crd.name));
  const { data } = counts;
  const [cleaning, setCleaning] = useState<string | null>(null);
  return (
    <Section title="Managed fields" aside={<ManagedFieldsStatus cluster={cluster} crd={crd} counts={counts} />}>
      <div className="flex flex-col gap-4">
        <p className="max-w-3xl text-ink-soft">
          Every entry in an object's managedFields names the version that its manager wrote with. Once that version is gone from
          spec.versions, server-side apply to the object fails, whoever applies (
          <a href="https://github.com/kubernetes/kubernetes/issues/111937" className="underline underline-offset-2 hover:text-ink">
            kubernetes#111937
          </a>
          ). A rewrite alone does not mend that.
        </p>
        {data && data.versions.length > 0 ? (
          <VersionsTable counts={data} onClean={setCleaning} />
        ) : data?.complete ? (
          <p>None of the {data.scanned === 0 ? "objects: there are none" : "objects has an entry"}.</p>
        ) : null}
      </div>
      <CleanDialog cluster={cluster} crd={crd} version={cleaning} onClose={() => setCleaning(null)} />
    </Section>
  );
}
