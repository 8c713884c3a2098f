import Link from "next/link";
import { ApiErrorNotice } from "#components/crd/api-error-notice.tsx";
import { rewriteHref } from "#components/shell/hrefs.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { runSchema } from "#lib/contract/run.ts";
import { ApiError } from "#lib/queries/api-client.ts";

/** Why the rewrite did not start, with the way to the run that stands in its way where one does. */
export function StartRefusal({ cluster, crd, error }: { cluster: string; crd: CrdDetail; error: Error }) {
  const run = runInTheWay(error);
  return (
    <ApiErrorNotice error={error}>
      {run ? (
        <Link className="text-ink underline underline-offset-2" href={rewriteHref(cluster, crd.name, run)} prefetch={false}>
          Go to the rewrite that is in the way
        </Link>
      ) : null}
    </ApiErrorNotice>
  );
}

function runInTheWay(error: Error): string | null {
  const run = error instanceof ApiError ? runSchema.safeParse(error.details?.run) : null;
  return run?.success ? run.data.id : null;
}
