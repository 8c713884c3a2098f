import Link from "next/link";
import { MigrationTable } from "#components/migrations/migration-table.tsx";
import { enginesHref } from "#components/shell/hrefs.ts";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** What engines beside crdshift do or did with the definition; nothing where there is nothing. */
export function MigrationsSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  if (crd.migrations.length === 0) return null;
  return (
    <Section
      title="Other engines"
      aside={
        <>
          <p>StorageVersionMigrations of this definition. crdshift interferes with none but its own.</p>
          <Link href={enginesHref(cluster)} prefetch={false} className="underline underline-offset-2 hover:text-ink">
            All in this cluster
          </Link>
        </>
      }
    >
      <MigrationTable cluster={cluster} migrations={crd.migrations} more={crd.moreMigrations} />
    </Section>
  );
}
