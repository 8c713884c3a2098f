import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import { migrationApiOf } from "#lib/domain/rewrite/engines.ts";
import { unreadEngines } from "#lib/domain/rewrite/unread-engines.ts";
import { unlistedTitle, unservedNextStep } from "./engine-words.ts";

const ONCE_FOLLOWED = "crdshift lists its migrations once it can follow the definitions.";

/**
 * Which engines' migrations couldn't be read, why, and since when. Renders nothing if all could, or may not be. `stale`: crdshift can't
 * follow the definitions, and asks for no migrations until it can.
 */
export function UnreadNotices({ engines, stale }: { engines: OtherEngines; stale: boolean }) {
  return unreadEngines(engines).map((engine) => {
    const { api, asOf } = engines[engine];
    const { group } = migrationApiOf[engine];
    const lastListed = asOf === null ? null : <LastListed at={asOf} />;
    if (api === null || !("message" in api)) {
      const yet = asOf === null ? " yet" : " again yet";
      return (
        <Notice key={engine} tone="neutral" title={`Not listed${stale ? "" : yet}: ${group}`}>
          {lastListed || stale ? (
            <p>
              {lastListed} {stale ? ONCE_FOLLOWED : null}
            </p>
          ) : null}
        </Notice>
      );
    }
    return (
      <Notice key={engine} tone="warning" title={unlistedTitle(engine, api)}>
        <p dir="auto">{api.message}</p>
        <p>
          {lastListed ?? "Never listed."} The engine may be running. {stale ? ONCE_FOLLOWED : unservedNextStep(engine, api)}
        </p>
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
