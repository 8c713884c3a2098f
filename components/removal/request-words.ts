import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { VersionRequests } from "#lib/contract/definition/version-requests.ts";
import { requestsByVersion } from "#lib/domain/versions/request-growth.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** A sentence with the requests at other versions, including versions that the definition no longer has; empty if there are none. */
export function otherVersionsText(
  versions: CrdDetail["versions"],
  version: string,
  counted: Pick<VersionRequests, "requests">,
  growth: ReadonlyMap<string, number>,
): string {
  const requests = requestsByVersion(counted);
  const names = new Set([...versions.map(({ name }) => name), ...requests.keys()]);
  names.delete(version);
  const each = [...names].map((name) => {
    const added = growth.get(name) ?? 0;
    return `${name} ${formatCount(requests.get(name) ?? 0)}${added > 0 ? ` (${formatCount(added)} more)` : ""}`;
  });
  return each.length === 0 ? "" : `Other versions, for comparison: ${each.join(", ")}.`;
}

/** A sentence with the open watches at a version, which the counters don't include yet. */
export function openWatchesText(version: string, { openWatches }: Pick<VersionRequests, "openWatches">): string {
  const open = openWatches.find((one) => one.version === version)?.watches ?? 0;
  const now = open === 0 ? "none is open now" : `${formatCountOf(open, "more is", "more are")} open now`;
  return `A watch is counted when it ends; ${now}.`;
}

/** Whether a version was requested while deprecated; empty if it never was deprecated. */
export function deprecatedText(
  { name, deprecated }: { name: string; deprecated: boolean },
  { deprecatedRequested }: Pick<VersionRequests, "deprecatedRequested">,
): string {
  if (deprecatedRequested.some(({ version }) => version === name)) return `${name} has been requested while deprecated.`;
  if (!deprecated) return "";
  return `${name} has not been requested since it was deprecated, or since this API server started, if later.`;
}
