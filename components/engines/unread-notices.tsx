import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import { migrationApiOf } from "#lib/domain/rewrite/engines.ts";
import { unreadEngines } from "#lib/domain/rewrite/unread-engines.ts";

/** Which engines' migrations couldn't be read, why, and since when. Renders nothing if all could, or may not be. */
export function UnreadNotices({ engines }: { engines: OtherEngines }) {
  return unreadEngines(engines).map((engine) => {
    const { api, asOf } = engines[engine];
    const { group } = migrationApiOf[engine];
    const lastListed = asOf === null ? null : <LastListed at={asOf} />;
    if (api?.status !== "failed") {
      return (
        <Notice key={engine} tone="neutral" title={`Not listed ${asOf === null ? "" : "again "}yet: ${group}`}>
          {lastListed ? <p>{lastListed}</p> : null}
        </Notice>
      );
    }
    return (
      <Notice key={engine} tone="warning" title={`Couldn't list ${group}`}>
        <p dir="auto">{api.message}</p>
        <p>{lastListed ?? "Never listed."} The engine may be running. crdshift retries automatically.</p>
      </Notice>
    );
  });
}

function LastListed({ at }: { at: string }) {
  return (
    <>
      Last listed <Time at={at} seconds />.
    </>
  );
}
