import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { RESTORED_STEP, RESTORED_TITLE, restoredWords } from "#lib/domain/definition/restored-etcd.ts";

/** That etcd was restored, as crdshift has noticed, and what to do; renders nothing otherwise. */
export function RestoredNotice({ crd: { restoredEtcd } }: { crd: Pick<CrdDetail, "restoredEtcd"> }) {
  if (!restoredEtcd) return null;
  return (
    <div className="mb-4">
      <Notice tone="warning" role="status" title={RESTORED_TITLE}>
        <p>
          Noticed <Time at={restoredEtcd.at} seconds />. {restoredWords(restoredEtcd)}
        </p>
        <p>{RESTORED_STEP}</p>
      </Notice>
    </div>
  );
}
